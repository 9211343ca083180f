#!/usr/bin/env python3
"""Issues a pass for a wallet, waits until it is on chain, fetches it, and searches for all passes of the wallet.

Needs Python 3.9 or newer and no packages; README.md in this folder names the variables.
Ends with 0 if the pass is ACTIVE, 1 if it is not, 2 if an argument or a variable is missing.
"""

import json
import os
import sys
import time
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen


class Failed(Exception):
    pass


def ask(what, url, data, headers):
    """Returns the answer's JSON and headers. Retries after 429 and 503, as Retry-After says. A retry is safe, because
    a wallet gets one pass."""
    for retries in reversed(range(6)):
        try:
            with urlopen(Request(url, data, headers), timeout=40) as answer:
                return json.load(answer), answer.headers
        except HTTPError as refused:
            # Seconds. After a used-up quota the time is that until midnight, which is too long for this program.
            wait = refused.headers.get("Retry-After", "")
            if refused.code not in (429, 503) or not wait.isdigit() or int(wait) > 60 or retries == 0:
                raise Failed(f"{what}: {refused.code} {told(refused)}")
            time.sleep(int(wait))
        except (OSError, HTTPException) as error:
            raise Failed(f"{what}: no answer from {url} ({getattr(error, 'reason', error)})")
        except ValueError as error:
            raise Failed(f"{what}: {url} does not answer with JSON ({error})")


def told(refused):
    """Either a problem document of the service (RFC 9457) or an error of the authorization server (RFC 6749)."""
    try:
        body = json.load(refused)
    except (ValueError, OSError, HTTPException):
        body = None
    if not isinstance(body, dict):
        return refused.reason
    details = [body.get("detail") or body.get("error_description") or ""]
    details += [f"{each['pointer']} {each['detail']}" for each in body.get("errors", [])]
    return "\n".join([f"{body.get('code') or body.get('error')} {body.get('requestId', '')}", *details])


def fetch_token(env):
    """A token is valid for `expires_in` seconds: use one for many requests."""
    form = {
        "grant_type": "client_credentials",
        "client_id": env["GATEPASS_CLIENT_ID"],
        "client_secret": env["GATEPASS_CLIENT_SECRET"],
        "audience": env.get("GATEPASS_AUDIENCE"),
        "scope": env.get("GATEPASS_SCOPE"),
    }
    fields = urlencode({name: value for name, value in form.items() if value})
    answer, _ = ask("token", env["GATEPASS_TOKEN_URL"], fields.encode(), {})
    if "access_token" not in answer:
        raise Failed(f"token: {env['GATEPASS_TOKEN_URL']} answers without one")
    return answer["access_token"]


def main(env, chain, network, wallet):
    headers = {
        "Authorization": f"Bearer {fetch_token(env)}",
        "Content-Type": "application/json",
        # The answer arrives when the pass is settled, or after 20 seconds with the pass as it is.
        "Prefer": "wait=20",
        # With the bookmark, the next answer is at least as new as the last one, from any copy of the database.
        "Gatepass-Bookmark": "",
    }

    def gatepass(what, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        answer, seen = ask(what, env["GATEPASS_URL"].rstrip("/") + path, data, headers)
        headers["Gatepass-Bookmark"] = seen.get("Gatepass-Bookmark", headers["Gatepass-Bookmark"])
        return answer

    passes = f"/pass/{quote(chain, '')}/{quote(network, '')}"
    gatepass("issue", passes, {"walletAddress": wallet})
    for _ in range(15):
        record = gatepass("process-pass", f"{passes}/{quote(wallet, '')}")
        if record["state"] != "REQUESTED":
            break
        print("requested, not on chain yet", file=sys.stderr)
        time.sleep(1)
    print(json.dumps(record))

    print(json.dumps(gatepass("search", "/pass", {"filter": {"walletAddress": wallet}})))
    if record["state"] != "ACTIVE":
        raise Failed(f"the pass is {record['state']}")


def misuse(message):
    print(message, file=sys.stderr)
    sys.exit(2)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        example = "python.py ethereum sepolia 0x52908400098527886E0F7030069857D2E4169EE7"
        misuse(f"usage: python.py CHAIN NETWORK WALLET, for example: {example}")
    for name in ("GATEPASS_URL", "GATEPASS_TOKEN_URL", "GATEPASS_CLIENT_ID", "GATEPASS_CLIENT_SECRET"):
        if not os.environ.get(name):
            misuse(f"{name} is not set")
    try:
        main(os.environ, *sys.argv[1:])
    except Failed as failed:
        sys.exit(str(failed))
