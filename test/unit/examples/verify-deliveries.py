"""Verifies each delivery of a JSON array with examples/gatepass.py, and prints the id of its event or the error."""

import json
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "examples")

import gatepass  # noqa: E402


def outcome(delivery):
    try:
        event = gatepass.verify_webhook(
            delivery["headers"], delivery["body"].encode(), delivery["secrets"], now=delivery["now"]
        )
    except (gatepass.NotVerified, ValueError) as error:
        return f"{type(error).__name__}: {error}"
    return event["id"]


print(json.dumps([outcome(delivery) for delivery in json.load(sys.stdin)]))
