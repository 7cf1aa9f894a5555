"""A Ray cluster of several nodes on this machine, whose head runs no task. Reads `add PATH` and `kill NODE` from stdin and
answers each with a line; ends with stdin. A node with one core and 80 MiB of shared memory, and that PATH if one is given."""

import socket
import sys

from ray.cluster_utils import Cluster

SHARED_BYTES = 80 * 2**20


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def main():
    port = free_port()
    head = {"num_cpus": 0, "ray_client_server_port": port, "include_dashboard": False}
    cluster = Cluster(initialize_head=True, head_node_args={**head, "object_store_memory": SHARED_BYTES})
    nodes = {}
    print(f"answer: {cluster.address} ray://127.0.0.1:{port}", flush=True)
    for line in sys.stdin:
        command, _, argument = line.strip().partition(" ")
        if command == "add":
            path = {"env_vars": {"PATH": argument}} if argument else {}
            node = cluster.add_node(num_cpus=1, object_store_memory=SHARED_BYTES, **path)
            nodes[node.node_id] = node
            print(f"answer: {socket.gethostname()} {node.node_id[:6]}", flush=True)
        elif command == "kill":
            found = next(each for each in nodes if each.startswith(argument.split()[-1]))
            cluster.remove_node(nodes.pop(found), allow_graceful=False)
            print("answer: killed", flush=True)
    cluster.shutdown()


main()
