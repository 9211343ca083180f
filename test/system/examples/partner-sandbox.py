"""Provokes events in a sandbox with examples/gatepass.py, and prints what each step returns, as JSON.

Arguments: the chain and the network of the passes.
"""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "examples")

from gatepass import Credentials, Gatepass, Problem  # noqa: E402


def main(chain, network):
    env = os.environ
    credentials = Credentials(env["GATEPASS_TOKEN_URL"], env["GATEPASS_CLIENT_ID"], env["GATEPASS_CLIENT_SECRET"])
    gatepass = Gatepass(env["GATEPASS_URL"], credentials)
    refusals = []
    for attempt in (gatepass.clock, lambda: gatepass.advance_clock(-1), lambda: gatepass.trigger("pass.eaten")):
        try:
            attempt()
        except Problem as problem:
            refusals.append([problem.status, problem.code, [each["pointer"] for each in problem.errors]])
    if [404, "not_found", []] in refusals:
        return print(json.dumps({"refusals": refusals}))
    before = gatepass.clock()
    advanced = gatepass.advance_clock(691200)
    default = gatepass.trigger("pass.issued")
    triggered = gatepass.trigger("pass.rejected", chain, network)
    wallet = triggered["pass"]["walletAddress"]
    events = gatepass.events(types=("pass.rejected",), poll_seconds=0.2)
    # A notice, which has no data, comes with every filter.
    event = next(each for each in events if "data" in each and each["data"]["pass"]["walletAddress"] == wallet)
    print(
        json.dumps(
            {
                "refusals": refusals,
                "advancedBy": advanced["now"] - before["now"],
                "default": default["pass"]["chain"],
                "triggered": triggered,
                "event": [event["type"], event["data"]["pass"]["state"]],
                "notice": gatepass.trigger("feed.events_deleted"),
            }
        )
    )


main(*sys.argv[1:])
