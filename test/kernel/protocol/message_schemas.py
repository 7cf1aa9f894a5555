# Validates messages, one JSON object a line on stdin, against the schemas of `jupyter_kernel_test`. Types that it has no
# schema for get one here, from Jupyter's messaging document and the enhancement proposals that brought them.
# Prints one line for each message that does not fit, and the types that it saw.
import json
import sys

from jsonschema import ValidationError
from jupyter_kernel_test.msgspec_v5 import reply_msgs_using_status, schema_fragments, validate_message

TEXT = {"type": "string"}
OK = {"const": "ok"}

schema_fragments.update(
    {
        # The suite's says number; the messaging document and ipykernel say true or false.
        "input_request": {"properties": {"prompt": TEXT, "password": {"type": "boolean"}}},
        "iopub_welcome": {"properties": {"subscription": TEXT}},
        "comm_open": {
            "properties": {"comm_id": TEXT, "target_name": TEXT, "data": {"type": "object"}},
        },
        "comm_msg": {"properties": {"comm_id": TEXT, "data": {"type": "object"}}},
        "comm_close": {"properties": {"comm_id": TEXT, "data": {"type": "object"}}},
        "create_subshell_reply": {"properties": {"status": OK, "subshell_id": TEXT}},
        "delete_subshell_reply": {"properties": {"status": OK}},
        "list_subshell_reply": {
            "properties": {"status": OK, "subshell_id": {"type": "array", "items": TEXT}},
        },
        "debug_reply": {
            "properties": {
                "type": {"const": "response"},
                "request_seq": {"type": "number"},
                "success": {"type": "boolean"},
                "command": TEXT,
            },
        },
        "usage_reply": {
            "properties": {
                "hostname": TEXT,
                "pid": {"type": "number"},
                "kernel_cpu": {"type": "number"},
                "kernel_memory": {"type": "number"},
                "cpu_count": {"type": "number"},
                "host_virtual_memory": {"type": "object"},
            },
        },
    }
)
reply_msgs_using_status |= {"create_subshell_reply", "delete_subshell_reply", "list_subshell_reply"}

seen = set()
for line in sys.stdin:
    message = json.loads(line)
    kind = message["header"]["msg_type"]
    seen.add(kind)
    try:
        validate_message(message)
    except (ValidationError, KeyError) as error:
        print(f"{kind}: {getattr(error, 'message', error)!r} in {json.dumps(message['content'])[:500]}")
print("seen: " + " ".join(sorted(seen)))
