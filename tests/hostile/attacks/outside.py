"""Rows 55 to 58, 98 and 102: reaching the outside. Read as text by model.py, run only where a pack puts it."""


@attack(rows=(55, 102), kind="quiet", shows="listener", weak=True)
def send_by_tcp(at):
    """connects to a listener by TCP"""
    import socket

    with socket.create_connection(("127.0.0.1", at.tcp), 2) as door:
        door.sendall(at.mark.encode())


@attack(rows=(55,), kind="quiet", shows="listener", weak=True)
def send_by_udp(at):
    """sends a packet by UDP, as a question to a name server is"""
    import socket

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as door:
        door.sendto(at.mark.encode(), ("127.0.0.1", at.udp))


@attack(rows=(55,), kind="quiet", shows="told", weak=True)
def listen_itself(at):
    """opens a port, for others to come in"""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as door:
        return f"did listen at {door.getsockname()[1]}"


@attack(rows=(55,), kind="quiet", shows="told", weak=True)
def talk_to_the_kernels_network(at):
    """opens a netlink socket"""
    import socket

    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()
    return "did open one"


@attack(rows=(56,), kind="quiet", shows="listener", weak=True)
def knock_at_a_unix_socket(at):
    """speaks to a UNIX socket with a path, as a container daemon's is"""
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as door:
        door.sendto(at.mark.encode(), at.unix)


@attack(rows=(56,), kind="quiet", shows="listener", weak=True)
def knock_at_an_abstract_socket(at):
    """speaks to a UNIX socket that has a name and no file, as D-Bus has"""
    import socket

    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as door:
        door.sendto(at.mark.encode(), "\0" + at.abstract)


@attack(rows=(57,), kind="quiet", shows="told", weak=True)
def run_a_setuid_program(at):
    """starts a program that runs as root"""
    import subprocess

    done = subprocess.run(["/bin/su", "--version"], capture_output=True, text=True, timeout=5)
    return "did run " + done.stdout.strip()


@attack(rows=(58,), kind="quiet", shows="marker", weak=True)
def run_a_shell(at):
    """lets a shell leave a note"""
    import os

    os.system(f"echo hello > {at.drop}/{at.mark}")


@attack(rows=(58,), kind="quiet", shows="marker", weak=True)
def run_a_dropped_program(at):
    """writes a program where it may, and starts it"""
    import os
    import subprocess
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = folder + "/program"
        with open(path, "w") as file:
            file.write(f"#!/bin/sh\necho hello > {at.drop}/{at.mark}\n")
        os.chmod(path, 0o755)
        subprocess.run([path], timeout=5)


@attack(rows=(58,), kind="quiet", shows="marker", weak=True)
def run_by_the_loader(at):
    """starts a program through the dynamic loader, which is only read"""
    import glob
    import subprocess

    loader = (glob.glob("/lib64/ld-linux-*") + glob.glob("/lib/ld-linux-*"))[0]
    subprocess.run([loader, "/bin/touch", f"{at.drop}/{at.mark}"], timeout=5, check=True)


@attack(rows=(58,), kind="quiet", shows="told", weak=True)
def run_from_memory(at):
    """starts a program that lies in memory only"""
    import os

    file = os.memfd_create("program")
    os.write(file, open("/bin/true", "rb").read())
    pid = os.posix_spawn(f"/proc/self/fd/{file}", ["true"], {})
    if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0:
        return "did run one"


@attack(rows=(58,), kind="alone", shows="marker", weak=True)
def become_a_program(at):
    """replaces its own process by a shell"""
    import os

    os.execv("/bin/sh", ["sh", "-c", f"echo hello > {at.drop}/{at.mark}"])


@attack(rows=(98,), kind="quiet", shows="changed", weak=True)
def write_to_the_workflow(at):
    """writes to the file by which a workflow's steps set each other's environment"""
    import os

    with open(os.environ.get("GITHUB_ENV", at.workflow), "a") as file:
        file.write(f"PATH=/evil #{at.name}\n")


@attack(rows=(102,), kind="quiet", shows="told", weak=True)
def start_an_installer(at):
    """starts a package installer (and only asks for its version)"""
    import subprocess

    done = subprocess.run([at.python, "-m", "pip", "--version"], capture_output=True, text=True, timeout=20)
    return done.stdout and "did start " + done.stdout.strip()[:20]
