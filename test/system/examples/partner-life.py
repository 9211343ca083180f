"""Takes a pass through its life with examples/gatepass.py, and prints what each step returns, as JSON.

Arguments: chain, network, wallet, and another network of the chain.
"""

import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, "examples")

from gatepass import Credentials, Gatepass, Problem  # noqa: E402


def main(chain, network, wallet, other):
    env = os.environ
    credentials = Credentials(env["GATEPASS_TOKEN_URL"], env["GATEPASS_CLIENT_ID"], env["GATEPASS_CLIENT_SECRET"])
    gatepass = Gatepass(env["GATEPASS_URL"], credentials)
    newest = next(gatepass.events("newest", follow=False), None)
    before = gatepass.get(chain, network, wallet)
    issued = gatepass.issue_and_wait(chain, network, wallet, reference="order 4711")
    repeated = gatepass.issue(chain, network, wallet)
    frozen = gatepass.update(chain, network, wallet, state="FROZEN", reason="case 4711", wait=20)
    active = gatepass.update(chain, network, wallet, state="ACTIVE", wait=20)
    named = list(gatepass.search({"reference": "order 4711"}))
    renamed = gatepass.update(chain, network, wallet, reference="")
    dated = gatepass.update(chain, network, wallet, expiry=2208988800, wait=20)
    elsewhere = gatepass.issue_and_wait(chain, other, wallet, expiry=2208988800)
    revoked = gatepass.revoke(chain, network, wallet, reason="case 4711", wait=20)
    found = list(gatepass.search({"walletAddress": wallet}, page_size=1))
    some = list(gatepass.search({"walletAddress": wallet, "state": "REVOKED", "chain": {"type": chain, "network": network}}))
    refusals = []
    for attempt in (
        lambda: gatepass.issue(chain, "nowhere", wallet),
        lambda: gatepass.issue(chain, network, wallet),
        lambda: list(gatepass.events(-1, follow=False)),
    ):
        try:
            attempt()
        except Problem as problem:
            refusals.append([problem.status, problem.code, len(problem.request_id or ""), len(problem.errors)])
    print(
        json.dumps(
            {
                "newest": newest,
                "before": before,
                "issued": issued,
                "repeated": repeated,
                "frozen": frozen,
                "active": active,
                "named": [record["id"] for record in named],
                "renamed": renamed,
                "dated": dated,
                "elsewhere": elsewhere,
                "revoked": revoked,
                "found": found,
                "some": some,
                "refusals": refusals,
                "events": read_events(gatepass, [issued["id"], elsewhere["id"]]),
                "shows": repr(credentials),
            }
        )
    )


def read_events(gatepass, ids):
    """Reads the feed in small pages until it has the revocation."""
    types = ("pass.issued", "pass.frozen", "pass.unfrozen", "pass.expiry_changed", "pass.revoked")
    seen = []
    for event in gatepass.events(types=types, poll_seconds=0.2, page_size=7):
        record = event["data"]["pass"]
        if record["id"] in ids:
            seen.append([event["type"], record["chain"]["network"], record["state"]])
        if record["id"] == ids[0] and event["type"] == "pass.revoked":
            return seen


main(*sys.argv[1:])
