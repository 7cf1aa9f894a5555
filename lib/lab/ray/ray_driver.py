"""Hands points of a sweep to a Ray cluster as tasks. driver_process.ts starts it with a Python that has Ray.

    stdin    one line of settings, then one line for each point to run or node to avoid
    stdout   one line when it is connected, and one for each point that came back

Tasks belong to this process. When stdin ends it cancels them; when it is killed Ray ends them. Knows nothing of
notebooks: a point is a text for `mpslab ray-point` on the node, and the answer is that command's output.
"""

import json
import os
import queue
import socket
import sys
import threading
import time

POLL_SECONDS = 0.2
LOOK_SECONDS = 1
CONNECT_SECONDS = 5
ATTEMPTS = 3
# Ray gives up after 30 s with a client, and after two minutes without. The head starts a process for each client, for which
# a busy one has taken more than 45 s.
INITIALIZE_SECONDS = 120
# A node that is restarted may come back.
WITHOUT_NODE_SECONDS = 10
# The kernel on a node has five seconds to end.
CANCEL_SECONDS = 8
LEAVE_SECONDS = 3
SHOWN_NODES = 3


def run_point(cli, request):
    """Runs on a node. Ray sends this function as its code, so it imports what it needs."""
    import os
    import shutil
    import socket
    import subprocess
    import tempfile
    import time

    import ray

    context = ray.get_runtime_context()
    node = {"id": context.get_node_id(), "host": socket.gethostname()}
    runtime, installed = shutil.which("node"), shutil.which("mpslab")
    # The same path is the same installation where nodes share a disk. A wheel's launcher brings a Node of its own.
    if os.path.isfile(cli) and not cli.endswith(".js"):
        command = [cli]
    elif runtime and os.path.isfile(cli):
        command = [runtime, cli]
    elif installed:
        command = [installed]
    elif runtime:
        return {"node": node, "refused": "it has no mpslab: install the same version there, and start Ray anew"}
    else:
        return {
            "node": node,
            "refused": "it has no Node and no mpslab on the PATH of its Ray: install both there, and start Ray anew",
        }

    def is_canceled():
        # Older versions of Ray raise KeyboardInterrupt instead.
        return hasattr(context, "is_canceled") and context.is_canceled()

    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen([*command, "ray-point"], stdin=subprocess.PIPE, stdout=out, stderr=err)
        try:
            try:
                process.stdin.write(request.encode() + b"\n")
                process.stdin.flush()
            except OSError:
                pass  # It has ended, and says why.
            # The pipe stays open: its end tells the command that nobody waits for the answer.
            while process.poll() is None and not is_canceled():
                time.sleep(0.05)
        finally:
            try:
                process.stdin.close()
            except OSError:
                pass
            try:
                process.wait(timeout=7)
            except subprocess.TimeoutExpired:
                process.kill()
        out.seek(0)
        err.seek(0)
        stdout, stderr = out.read().decode("utf-8", "replace"), err.read().decode("utf-8", "replace")
    if process.returncode == 0:
        return {"node": node, "answer": stdout}
    said = stderr.strip().splitlines()
    if any("There is no command ray-point" in line for line in said):
        return {"node": node, "refused": "its mpslab is older and cannot run points: install the same version there"}
    last = said[-1] if said else "it says nothing"
    why = f"`mpslab ray-point` ended there with status {process.returncode} ({last}): run mpslab doctor there"
    return {"node": node, "refused": why}


def separate_lines():
    """Ray prints what nodes report to stdout. That goes to stderr from here on; our lines keep the pipe."""
    lines = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    return lines


def say(**message):
    LINES.write(json.dumps(message) + "\n")
    LINES.flush()


def one_line(error):
    return " ".join(str(error).split())


def last_line(error):
    """The sentence below a stack trace from a server."""
    return str(error).strip().splitlines()[-1]


def why_lost(error):
    """Ray's own sentences go on with places of its logs."""
    known = {
        "NodeDiedError": "the node is gone",
        "WorkerCrashedError": "Ray's worker process ended there",
        "OutOfMemoryError": "the node ran out of memory, and Ray ended its worker process",
    }
    return known.get(type(error).__name__) or one_line(getattr(error, "cause", None) or error).split(". ")[0]


class Refusal(Exception):
    """A sentence for the user."""


def connect(address):
    """Returns Ray, connected."""
    try:
        import ray
    except ImportError as error:
        raise Refusal(f"{sys.executable} cannot import Ray ({one_line(error)})") from error
    if address == "auto":
        address = os.environ.get("RAY_ADDRESS") or address
    if ":" in address:
        reachable(address)
    try:
        initialize(ray, address)
    except ConnectionError as error:
        if address.startswith("ray://"):
            raise Refusal(f"{address} is no Ray Client server ({last_line(error)})") from error
        raise Refusal(
            "no Ray cluster runs on this machine: start one with `ray start --head`, set RAY_ADDRESS, or name "
            "another as ray://host:10001"
        ) from error
    except ImportError as error:
        raise Refusal(
            f"{sys.executable} has Ray without its client ({one_line(error)}): "
            f"{sys.executable} -m pip install 'ray[client]=={ray.__version__}'"
        ) from error
    except Exception as error:
        # Different versions of Ray or Python are named here.
        raise Refusal(f"Ray does not connect to {address}: {one_line(error)}") from error
    return ray


def initialize(ray, address):
    for attempt in range(1, ATTEMPTS + 1):
        late = threading.Timer(INITIALIZE_SECONDS, give_up, [address])
        late.start()
        try:
            ray.init(address, log_to_driver=False, logging_level="ERROR")
            return
        except ConnectionError as error:
            # Ray forks a server for each client, which fails at times.
            if "Initialization failure from server" not in str(error) or attempt == ATTEMPTS:
                raise
        finally:
            late.cancel()


def give_up(address):
    where = "the cluster of this machine" if address == "auto" else address
    why = f"{where} did not answer within {INITIALIZE_SECONDS} s: look at it with `ray status`"
    say(type="ended", message=why)
    os._exit(1)


def reachable(address):
    host, _, port = address.removeprefix("ray://").rstrip("/").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_SECONDS).close()
    except (OSError, ValueError) as error:
        raise Refusal(
            f"nothing answers at {address} ({one_line(error)}): give the address of a Ray Client server, which "
            "`ray start --head` opens on port 10001, as ray://head:10001"
        ) from error


def read_lines(lines):
    for line in sys.stdin:
        lines.put(json.loads(line))
    lines.put(None)


class Points:
    """The points that Ray has, and the nodes that may take them."""

    def __init__(self, ray, settings):
        self.ray = ray
        self.cli = settings["cli"]
        self.resources = {"CPU": settings["numCpus"], "GPU": settings["numGpus"]}
        options = {"num_cpus": settings["numCpus"], "num_gpus": settings["numGpus"], "max_retries": 0}
        self.task = ray.remote(**options)(run_point)
        self.running = {}
        self.avoided = {}
        self.hosts = {}
        self.without_node_since = None

    def hand_over(self, point):
        task = self.task
        if self.avoided:
            task = task.options(label_selector={"ray.io/node-id": f"!in({','.join(self.avoided)})"})
        self.running[task.remote(self.cli, point["request"])] = point["id"]

    def avoid(self, node, why):
        self.avoided[node] = why

    def take(self):
        """Says which point has come back, if one does soon."""
        if not self.running:
            time.sleep(POLL_SECONDS / 4)
            return
        ready, _ = self.ray.wait(list(self.running), num_returns=1, timeout=POLL_SECONDS)
        for reference in ready:
            point = self.running.pop(reference)
            try:
                say(type="answered", id=point, **self.ray.get(reference))
            except self.ray.exceptions.TaskCancelledError:
                continue
            except self.ray.exceptions.RayError as error:
                say(type="lost", id=point, node=self.node_in(str(error)), message=why_lost(error))

    def node_in(self, text):
        """The node that an error names."""
        found = next((node for node in self.hosts if node in text), None)
        return None if found is None else {"id": found, "host": self.hosts[found]}

    def require_nodes(self, patience):
        """Ray waits for ever where no node has what a task asks for."""
        alive = [node for node in self.ray.nodes() if node["Alive"]]
        self.hosts.update({node["NodeID"]: node["NodeManagerHostname"] for node in alive})
        fitting = [node for node in alive if self.fits(node)]
        if any(node["NodeID"] not in self.avoided for node in fitting):
            self.without_node_since = None
            return
        if fitting:
            raise Refusal(f"no node of the cluster is left that can run a point. {self.why_avoided()}")
        self.without_node_since = self.without_node_since or time.monotonic()
        if time.monotonic() - self.without_node_since >= patience:
            raise Refusal(self.why_none_fits(alive))

    def fits(self, node):
        return all(node["Resources"].get(name, 0) >= amount for name, amount in self.resources.items())

    def why_avoided(self):
        reasons = [f"{self.hosts[node]} {node[:6]}: {why}" for node, why in self.avoided.items()]
        more = len(reasons) - SHOWN_NODES
        return ". ".join(reasons[:SHOWN_NODES]) + (f". And {more} more" if more > 0 else "")

    def why_none_fits(self, alive):
        largest = max(alive, key=lambda node: [node["Resources"].get(name, 0) for name in ("GPU", "CPU")], default=None)
        has = "it has no node" if largest is None else f"the largest has {amounts(largest['Resources'])}"
        return f"no node of the cluster has {amounts(self.resources)} for a point, {has}: ask for less, or add a node"

    def cancel(self):
        for force in (False, True):
            for reference in self.running:
                self.ray.cancel(reference, force=force)
            if not force and self.running:
                self.ray.wait(list(self.running), num_returns=len(self.running), timeout=CANCEL_SECONDS)


def amounts(resources):
    cpus, gpus = resources.get("CPU", 0), resources.get("GPU", 0)
    return f"{cpus:g} {'CPU' if cpus == 1 else 'CPUs'} and {gpus:g} {'GPU' if gpus == 1 else 'GPUs'}"


def main():
    settings = json.loads(sys.stdin.readline())
    try:
        ray = connect(settings["address"])
        points = Points(ray, settings)
        points.require_nodes(patience=0)
        say(type="connected", version=ray.__version__)
        lines = queue.Queue()
        threading.Thread(target=read_lines, args=(lines,), daemon=True).start()
        serve(points, lines)
    except Refusal as refusal:
        say(type="ended", message=str(refusal))
    except Exception as error:
        say(type="ended", message=f"the connection to the cluster ended ({one_line(error)})")
    # Ray takes leave of the cluster, and waits for one that is gone.
    threading.Timer(LEAVE_SECONDS, os._exit, [0]).start()
    if "ray" in sys.modules:
        sys.modules["ray"].shutdown()
    os._exit(0)


def serve(points, lines):
    """Runs until stdin ends."""
    looked = time.monotonic()
    while True:
        while not lines.empty():
            line = lines.get()
            if line is None:
                points.cancel()
                return
            if "avoid" in line:
                points.avoid(line["avoid"], line["why"])
            else:
                points.hand_over(line)
        points.take()
        if points.running and time.monotonic() - looked > LOOK_SECONDS:
            looked = time.monotonic()
            points.require_nodes(WITHOUT_NODE_SECONDS)


if __name__ == "__main__":
    LINES = separate_lines()
    main()
