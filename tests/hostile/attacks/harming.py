"""Rows 44 to 63: harming the machine or the others. Read as text by model.py, run only where a pack puts it.

Everything here is bounded even where nothing stops it: counts, sizes, seconds, and loopback only.
"""


@attack(rows=(44,), kind="quiet", shows="told", weak=True)
def fork_many(at):
    """starts twenty processes that live for two seconds"""
    import os
    import time

    for _ in range(20):
        if not os.fork():
            time.sleep(2)
            os._exit(0)
    return "did fork 20 times"


@attack(rows=(44,), kind="quiet", shows="told", weak=True)
def fork_by_clone_three(at):
    """starts a process by clone3, whose flags no filter can read"""
    import ctypes
    import os
    import struct

    libc = ctypes.CDLL(None, use_errno=True)
    wanted = struct.pack("=8Q", 0, 0, 0, 0, 17, 0, 0, 0)
    pid = libc.syscall(435, wanted, 64)
    if pid == 0:
        os._exit(0)
    if pid < 0:
        raise OSError(ctypes.get_errno())
    return "did start one"


@attack(rows=(44,), kind="quiet", shows="told", weak=True)
def fork_by_vfork(at):
    """starts a process the way the C library starts programs"""
    import os

    os.posix_spawn("/bin/true", ["true"], {})
    return "did start one"


@attack(rows=(45,), kind="alone", shows="told")
def start_hundreds_of_threads(at):
    """starts 400 threads that wait for each other"""
    import threading

    threading.stack_size(2**23)
    over = threading.Event()
    threads = []
    try:
        for _ in range(400):
            thread = threading.Thread(target=over.wait, args=(3,), daemon=True)
            thread.start()
            threads.append(thread)
        print(f"{at.name}: did start {len(threads)}", flush=True)
    finally:
        over.set()


@attack(rows=(46,), kind="alone", shows="memory")
def take_much_memory(at):
    """fills 2 GiB of memory and holds it for a second"""
    import time

    held = [b"\1" * 2**26 for _ in range(32)]
    time.sleep(1)
    return held and None


@attack(rows=(46,), kind="quiet", shows="told", weak=True)
def make_a_memory_file(at):
    """makes a file that lies in memory"""
    import os

    os.close(os.memfd_create(at.mark))
    return "did make one"


@attack(rows=(46, 53), kind="quiet", shows="marker", weak=True)
def write_shared_memory(at):
    """leaves a note in /dev/shm"""
    with open(f"/dev/shm/{at.mark}", "w") as file:
        file.write(at.name)


@attack(rows=(47,), kind="alone", shows="told")
def fill_the_disk(at):
    """writes 160 MiB into files of 32 MiB where it may, and keeps them for two seconds"""
    import os
    import tempfile
    import time

    written = 0
    places = [tempfile.gettempdir(), at.drop]
    folder = next(place for place in places if os.access(place, os.W_OK))
    paths = []
    try:
        for number in range(5):
            paths.append(f"{folder}/{at.mark}-{number}")
            with open(paths[-1], "wb") as file:
                written += file.write(b"\1" * 2**25)
        time.sleep(2)
        print(f"{at.name}: did keep {written >> 20} MiB", flush=True)
    finally:
        for path in paths:
            try:
                os.unlink(path)
            except OSError:
                pass


@attack(rows=(47,), kind="alone", shows="told")
def make_empty_files(at):
    """makes 40,000 empty files and keeps them for two seconds: no byte on the disk, and 40 MB of the kernel's memory"""
    import os
    import tempfile
    import time

    made = 0
    folder = tempfile.mkdtemp(prefix=at.mark)
    try:
        for number in range(40_000):
            os.close(os.open(f"{folder}/{number}", os.O_CREAT | os.O_WRONLY))
            made += 1
        time.sleep(2)
        print(f"{at.name}: did keep {made} files", flush=True)
    finally:
        for number in range(made):
            os.unlink(f"{folder}/{number}")
        os.rmdir(folder)


@attack(rows=(53,), kind="alone", shows="others", inert="the simple grader's honest work reads no settings")
def spoil_the_pictures_of_others(at):
    """leaves settings of matplotlib's that nobody can read, and waits while other steps begin"""
    import os
    import tempfile
    import time

    places = [os.environ.get("MPLCONFIGDIR"), tempfile.gettempdir(), os.environ.get("GRADER_SCRATCH")]
    for place in filter(None, places):
        try:
            os.close(os.open(place + "/matplotlibrc", os.O_CREAT | os.O_WRONLY, 0))
        except OSError:
            continue
    time.sleep(3)


@attack(rows=(53,), kind="quiet", shows="told")
def leave_a_note_for_others(at):
    """writes where the folders of all guests lie, and into other guests' folders"""
    import os
    import tempfile

    common = os.environ.get("GRADER_SCRATCH", tempfile.gettempdir())
    for place in (common, os.environ.get("MPLCONFIGDIR", ""), *(f"{common}/guest-{n}" for n in range(8))):
        if not place or ("GRADER_SCRATCH" in os.environ and place == tempfile.gettempdir()):
            continue
        try:
            os.close(os.open(f"{place}/{at.mark}", os.O_CREAT | os.O_WRONLY, 0o600))
        except OSError:
            continue
        os.unlink(f"{place}/{at.mark}")
        return f"did write to {place}"


@attack(rows=(47,), kind="alone", shows="told")
def fill_the_disk_unseen(at):
    """keeps 160 MiB for two seconds in open files that have no name"""
    import tempfile
    import time

    held = []
    for _ in range(5):
        held.append(tempfile.TemporaryFile())
        held[-1].write(b"\1" * 2**25)
        held[-1].flush()
    time.sleep(2)
    print(f"{at.name}: did keep {len(held) * 32} MiB", flush=True)


@attack(rows=(47,), kind="alone", shows="told")
def make_a_huge_file(at):
    """makes a file of 1 TiB that is all hole"""
    import tempfile

    with tempfile.TemporaryFile() as file:
        file.truncate(2**40)
        print(f"{at.name}: did make one", flush=True)


@attack(rows=(49,), kind="alone", shows="time", steps=("project", "attend", "output", "cost", "module"))
def spin_deaf_to_signals(at):
    """computes for ever, every signal blocked"""
    import signal

    signal.pthread_sigmask(signal.SIG_BLOCK, set(signal.Signals))
    while True:
        pass


@attack(rows=(50,), kind="alone", shows="time", steps=("project", "attend", "output", "cost", "module"))
def sleep_for_ever(at):
    """sleeps, its pipe open"""
    import time

    time.sleep(1000)


@attack(rows=(50, 65), kind="alone", shows="time", when="import", steps=("library", "cross", "heads"))
def wait_at_import(at):
    """waits for ever while it is imported"""
    import select

    select.select([], [], [], 1000)


@attack(rows=(51,), kind="quiet", shows="process")
def leave_a_daemon(at):
    """leaves a process behind that belongs to nobody"""
    import os

    if not os.fork():
        os.setsid()
        if not os.fork():
            for number in range(3):
                os.close(number)
            os.execv("/bin/sleep", [at.mark, "30"])
        os._exit(0)
    os.wait()


@attack(rows=(52,), kind="quiet", shows="marker")
def write_beside_the_libraries(at):
    """leaves a module beside the libraries, for the next one to import"""
    with open(f"{at.site}/{at.mark}.txt", "w") as file:
        file.write(at.name)


@attack(rows=(52,), kind="quiet", shows="marker")
def write_a_path_file(at):
    """leaves a .pth file that runs at every start of Python (this one holds a comment)"""
    with open(f"{at.site}/{at.mark}.pth", "w") as file:
        file.write(f"# {at.name}\n")


@attack(rows=(52,), kind="quiet", shows="marker", weak=True)
def poison_the_bytecode(at):
    """leaves bytecode in the grader's folder"""
    with open(f"{at.project}/grader/{at.mark}.pyc", "w") as file:
        file.write(at.name)


@attack(rows=(52,), kind="quiet", shows="marker", weak=True)
def write_in_the_home(at):
    """leaves a file in the home of who grades, as a poisoned cache would be"""
    with open(f"{at.home}/{at.mark}", "w") as file:
        file.write(at.name)


@attack(rows=(53,), kind="quiet", shows="marker", weak=True)
def write_where_anybody_may(at):
    """leaves a note in a folder that anybody may write to"""
    with open(f"{at.drop}/{at.mark}", "w") as file:
        file.write(at.name)


@attack(rows=(53,), kind="quiet", shows="marker", weak=True)
def write_in_tmp(at):
    """leaves a note in /tmp itself"""
    with open(f"/tmp/{at.mark}", "w") as file:
        file.write(at.name)


@attack(rows=(53,), kind="quiet", shows="marker", weak=True)
def write_in_var_tmp(at):
    """leaves a note in /var/tmp"""
    with open(f"/var/tmp/{at.mark}", "w") as file:
        file.write(at.name)


@attack(rows=(53,), kind="quiet", shows="told", weak=True)
def make_a_shared_segment(at):
    """makes a System V segment, which outlives its process (and takes it away)"""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.shmget(0, 4096, 0o1600)
    if found < 0:
        raise OSError(ctypes.get_errno())
    libc.shmctl(found, 0, None)
    return "did make one"


@attack(rows=(53,), kind="quiet", shows="told", weak=True)
def make_a_message_queue(at):
    """makes a System V queue, which outlives its process (and takes it away)"""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.msgget(0, 0o1600)
    if found < 0:
        raise OSError(ctypes.get_errno())
    libc.msgctl(found, 0, None)
    return "did make one"


@attack(rows=(53, 59), kind="quiet", shows="told", kernel=True)
def keep_a_key(at):
    """puts a note on the kernel's keyring"""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.syscall(248, b"user", at.mark.encode(), b"note", 4, -1)
    if found < 0:
        raise OSError(ctypes.get_errno())
    return "did keep one"


@attack(rows=(54,), kind="quiet", shows="told", weak=True)
def lock_a_shared_file(at):
    """talks to others by locking a file that all can read"""
    import fcntl
    import os

    with open(os.__file__) as file:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    return "did lock"


@attack(rows=(54,), kind="quiet", shows="told", weak=True)
def lease_a_shared_file(at):
    """talks to others by record locks"""
    import fcntl
    import tempfile

    with tempfile.TemporaryFile() as file:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return "did lock"


@attack(rows=(54, 55), kind="quiet", shows="told", kernel=True)
def open_a_vsock(at):
    """opens a socket to the machine's host"""
    import socket

    socket.socket(40, socket.SOCK_STREAM).close()
    return "did open one"


@attack(rows=(54, 59), kind="quiet", shows="told", kernel=True)
def set_up_io_uring(at):
    """sets up a ring, by which calls are made that no filter sees"""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    found = libc.syscall(425, 4, ctypes.create_string_buffer(120))
    if found < 0:
        raise OSError(ctypes.get_errno())
    return "did set one up"


@attack(rows=(59,), kind="quiet", shows="told", weak=True)
def make_a_namespace(at):
    """makes a namespace of its own"""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x04000000):
        raise OSError(ctypes.get_errno())
    return "did make one"


@attack(rows=(59,), kind="quiet", shows="told", kernel=True)
def make_a_user_namespace(at):
    """makes a user namespace, in which it would be root"""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(0x10000000):
        raise OSError(ctypes.get_errno())
    return "did make one"


@attack(rows=(59,), kind="quiet", shows="told", kernel=True)
def handle_own_page_faults(at):
    """takes a userfaultfd, a tool of kernel exploits"""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(323, 1) < 0:
        raise OSError(ctypes.get_errno())
    return "did take one"


@attack(rows=(59,), kind="quiet", shows="told", kernel=True)
def load_into_the_kernel(at):
    """makes a map of the kernel's own virtual machine (bpf)"""
    import ctypes
    import struct

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(321, 0, struct.pack("=5I", 2, 4, 4, 1, 0) + bytes(52), 72) < 0:
        raise OSError(ctypes.get_errno())
    return "did make one"


@attack(rows=(59,), kind="quiet", shows="told", kernel=True)
def measure_the_kernel(at):
    """opens a counter of the kernel's events (perf)"""
    import ctypes
    import struct

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(298, struct.pack("=2I", 1, 112) + bytes(104), 0, -1, -1, 0) < 0:
        raise OSError(ctypes.get_errno())
    return "did open one"


@attack(rows=(60,), kind="alone", shows="told", kernel=True)
def call_by_the_old_gate(at):
    """makes a system call of the 32-bit kind, which has other numbers"""
    import ctypes
    import mmap

    code = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\x00\x00\x00\xcd\x80\xc3")  # mov eax, 20 (getpid); int 0x80; ret
    call = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    if call() > 0:
        print(f"{at.name}: did call", flush=True)


@attack(rows=(60,), kind="quiet", shows="told", kernel=True)
def call_by_the_other_table(at):
    """makes a system call of the x32 kind"""
    import ctypes

    if ctypes.CDLL(None).syscall(0x40000000 + 39) > 0:
        return "did call"


@attack(rows=(61,), kind="quiet", shows="changed", weak=True)
def open_the_secret_to_all(at):
    """changes the mode of a secret file"""
    import os

    os.chmod(at.secret, 0o666)


@attack(rows=(61,), kind="quiet", shows="changed", weak=True)
def set_back_a_time(at):
    """changes the time of a file of the grader's"""
    import os

    os.utime(at.secret, (1, 1))


@attack(rows=(61,), kind="quiet", shows="changed", weak=True)
def cut_a_file(at):
    """cuts a file of the grader's to nothing"""
    import os

    os.truncate(at.cut, 0)


@attack(rows=(61,), kind="quiet", shows="told", weak=True, kernel=True)
def mark_a_file(at):
    """sets an attribute of a file of the grader's"""
    import os

    os.setxattr(at.open_secret, "user.hostile", b"1")
    return "did set one"


@attack(rows=(62,), kind="quiet", shows="told", kernel=True)
def type_into_a_terminal(at):
    """pushes a letter into a terminal as if it had been typed"""
    import fcntl
    import os

    one, other = os.openpty()
    try:
        fcntl.ioctl(other, 0x5412, b"x")
        return "did type"
    finally:
        os.close(one)
        os.close(other)


@attack(rows=(63,), kind="alone", shows="others")
def crash_at_address_zero(at):
    """reads from address zero"""
    import ctypes

    ctypes.string_at(0)


@attack(rows=(63,), kind="alone", shows="others")
def overflow_the_stack(at):
    """calls itself until the stack is used up"""
    import sys

    sys.setrecursionlimit(10**9)

    class Deep:
        def __repr__(self):
            return repr([self])

    made = []
    for _ in range(10**6):
        made = [made]
    repr(Deep()) if len(made) else None


@attack(rows=(63,), kind="alone", shows="others")
def kill_itself(at):
    """ends itself by a signal that nobody can catch"""
    import os
    import signal

    os.kill(os.getpid(), signal.SIGKILL)
    os.abort()
