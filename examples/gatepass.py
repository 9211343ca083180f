#!/usr/bin/env python3
"""A client of Gatepass in one file: Python 3.9 or newer, standard library only.

Copy the file into your project:

    from gatepass import Credentials, Gatepass, Problem

    gatepass = Gatepass("https://api.acme.com", Credentials(token_url, client_id, client_secret))
    record = gatepass.issue_and_wait("ethereum", "sepolia", "0x52908400098527886E0F7030069857D2E4169EE7")

As a program, it issues a pass for a wallet, waits until it is on chain, and searches for all passes of the wallet:

    python3 gatepass.py ethereum sepolia 0x52908400098527886E0F7030069857D2E4169EE7

It reads GATEPASS_URL, GATEPASS_TOKEN_URL, GATEPASS_CLIENT_ID and GATEPASS_CLIENT_SECRET, and ends with 0 if the pass
is ACTIVE, 1 if it is not, 2 if an argument or a variable is missing.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import os
import random
import re
import sys
import time
from dataclasses import dataclass, field
from http.client import HTTPException
from typing import TYPE_CHECKING, Any, Callable, Iterator, Literal, Mapping, NamedTuple, Sequence, TypedDict
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

if TYPE_CHECKING:
    from typing_extensions import NotRequired

__version__ = "0.1.0"

# The words of requests. An answer may have further words after a later release of the service, so its fields are
# plain strings.
ChainType = Literal["ethereum", "solana"]
WantedState = Literal["ACTIVE", "FROZEN", "REVOKED"]
PassState = Literal["REQUESTED", "ACTIVE", "FROZEN", "REVOKED", "REJECTED"]
EventType = Literal[
    "pass.issued",
    "pass.renewed",
    "pass.frozen",
    "pass.unfrozen",
    "pass.revoked",
    "pass.expiry_changed",
    "pass.rejected",
    "pass.change_failed",
    "pass.reorged",
    "pass.expiring",
    "pass.expired",
    "feed.restored",
    "pass.reference_changed",
    "pass.subject_changed",
]
TriggerType = Literal[EventType, "feed.events_deleted"]
Validity = Literal["valid", "expired"]
PassOrder = Literal["newest", "oldest"]

# More than the longest page of the service.
ANSWER_MAX_BYTES = 16 * 1024 * 1024


class Chain(TypedDict):
    """A network. Its name is unique only together with its type."""

    type: str
    network: str


class Transaction(TypedDict):
    """A transaction on chain: its hash or signature, and what became of it."""

    identifier: str
    status: str


class ByOthers(TypedDict):
    """A change that this service did not make, and its gatekeeper if that is known."""

    gatekeeper: NotRequired[str]


class PassEvent(TypedDict):
    """An event in the life of a pass. Times are Unix seconds."""

    eventType: str
    timestamp: int
    transaction: NotRequired[Transaction]
    reason: NotRequired[str]
    requestId: NotRequired[str]
    byOthers: NotRequired[ByOthers]


class PassSnapshot(TypedDict):
    """A pass at the time of an event. Without `expiryTimestamp`, it never expires."""

    id: str
    chain: Chain
    gatekeeperNetwork: str
    walletAddress: str
    onChainState: str
    state: str
    contract: str
    expiryTimestamp: NotRequired[int]
    validUntil: NotRequired[int]
    reference: NotRequired[str]
    subject: NotRequired[str]


class WaitsFor(TypedDict):
    """Why the transaction of a change is not sent yet."""

    code: str
    detail: str
    before: NotRequired[int]


class PassRecord(PassSnapshot):
    """A pass: the state that you want, the state on chain, and the history."""

    events: list[PassEvent]
    valid: bool
    waitsFor: NotRequired[WaitsFor]


# In this form, because `pass` is a word of the language.
FeedEventData = TypedDict("FeedEventData", {"event": PassEvent, "pass": PassSnapshot})


class FeedEvent(TypedDict):
    """An event of the feed, or of a webhook. A notice has no `data`. The delivery of a test has no `sequence`."""

    id: str
    sequence: int
    type: str
    timestamp: str
    data: NotRequired[FeedEventData]


class FeedPage(TypedDict):
    """A page of the feed. `next` is the cursor of the next page, and `more` says whether that page already has events."""

    events: list[FeedEvent]
    next: int
    more: bool


class FoundPasses(TypedDict):
    """A page of passes. `next` is the place of the next page, and absent on the last one."""

    records: list[PassRecord]
    next: NotRequired[str]
    count: NotRequired[int]
    countIsMinimum: NotRequired[bool]


class IssueRequest(TypedDict):
    """The body of an issuance."""

    walletAddress: str
    expiryTimestamp: NotRequired[int]
    reference: NotRequired[str]
    subject: NotRequired[str]


class UpdateRequest(TypedDict):
    """The body of a change. None removes the reference or the subject of the pass."""

    state: NotRequired[WantedState]
    expiryTimestamp: NotRequired[int]
    reference: NotRequired[str | None]
    subject: NotRequired[str | None]
    reason: NotRequired[str]


class PassFilter(TypedDict):
    """The passes to find. Several conditions must all be met. A reference and a subject stand alone."""

    state: NotRequired[PassState]
    walletAddress: NotRequired[str]
    chain: NotRequired[Chain]
    reference: NotRequired[str]
    subject: NotRequired[str]
    walletPrefix: NotRequired[str]
    validity: NotRequired[Validity]
    expiresBefore: NotRequired[int]


class SearchRequest(TypedDict):
    """The body of a search. `after` is `next` of the page before."""

    limit: NotRequired[int]
    after: NotRequired[str]
    filter: NotRequired[PassFilter]
    order: NotRequired[PassOrder]
    count: NotRequired[bool]


class SandboxClock(TypedDict):
    """The time of a sandbox, in Unix seconds."""

    now: int


class ClockRequest(TypedDict):
    """The body that advances the clock of a sandbox."""

    advanceSeconds: int


class TriggerRequest(TypedDict):
    """The body that causes an event in a sandbox."""

    type: TriggerType
    chain: NotRequired[Chain]


class TriggeredPass(TypedDict):
    """The new pass that gets a triggered event."""

    chain: Chain
    walletAddress: str


# In this form, because `pass` is a word of the language.
TriggeredEvent = TypedDict("TriggeredEvent", {"type": str, "pass": "NotRequired[TriggeredPass]"})


class FieldError(TypedDict):
    """An invalid field of a request: a JSON pointer, and what is wrong."""

    pointer: str
    detail: str


class GatepassError(Exception):
    """All errors of this module, except those of wrong arguments (ValueError)."""


class Problem(GatepassError):
    """The service refused the request (RFC 9457). `code` is for programs, `detail` for people. Later releases may add
    codes.

    `code` is "unexpected_answer" if the answer is not the service's. `retry_after` is in seconds. Only
    `cursor_expired` has `oldest`, the oldest sequence that the feed has.
    """

    def __init__(self, status: int, headers: Mapping[str, str], body: Any) -> None:
        problem = body if isinstance(body, dict) and isinstance(body.get("code"), str) else {}
        self.status = status
        self.code: str = problem.get("code", "unexpected_answer")
        self.detail = str(problem.get("detail", "This is no answer of the service."))
        self.request_id: str | None = problem.get("requestId")
        self.errors: list[FieldError] = [each for each in list_of(problem.get("errors")) if isinstance(each, dict)]
        self.oldest: int | None = problem.get("oldest")
        self.retry_after = seconds_in(headers.get("Retry-After"))
        fields = [f"{each.get('pointer')} {each.get('detail')}" for each in self.errors]
        super().__init__("\n".join([f"{status} {self.code} {self.request_id or ''}", self.detail, *fields]))


class TokenError(GatepassError):
    """The authorization server returned no token. The message never contains the secret."""


class Unreachable(GatepassError):
    """No answer, or no complete one. The service may have received the request."""


class PassNotSettled(GatepassError):
    """The time is over, and the pass is not on chain yet. The service continues; `record` is the pass as it was last
    seen.
    """

    def __init__(self, record: PassRecord) -> None:
        super().__init__(f"the pass is still {record['state']}")
        self.record = record


class NotVerified(GatepassError):
    """A delivery is not from the webhook, is too old, or was changed on the way."""


@dataclass(frozen=True)
class Credentials:
    """An OAuth client of the authorization server that the service trusts. Some servers require an audience or a
    scope.
    """

    token_url: str
    client_id: str
    client_secret: str = field(repr=False)
    audience: str | None = None
    scope: str | None = None


@dataclass(frozen=True)
class Retries:
    """How often a request is retried, and the longest pause in seconds that is worth waiting. Never with `times=0`."""

    times: int = 4
    longest_pause: float = 60.0
    attempt_timeout: float = 40.0


class Answer(NamedTuple):
    """An answer over HTTP, whatever its status is."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def json(self) -> Any:
        """Returns the parsed body; None if it is not JSON."""
        try:
            return json.loads(self.body)
        except (ValueError, RecursionError):
            return None


class NoRedirects(HTTPRedirectHandler):
    """A redirect is an answer like any other, because urllib would send the token to the other host."""

    def redirect_request(self, *_: Any) -> None:
        """Follows none."""
        return None


class Gatepass:
    """The operations of a partner. They raise Problem, TokenError and Unreachable. Use one object per thread.

    A wallet has one pass, so `issue`, `update` and `revoke` are idempotent: a repeated call sends no second
    transaction. Therefore this class retries them after 408, 429, 5xx, and if there is no answer, with the pause of
    `Retry-After`. After an error you may repeat them, too. One exception: a repeated `update` undoes a change that
    somebody else made in between.
    """

    def __init__(self, base_url: str, credentials: Credentials, retries: Retries = Retries()) -> None:
        """`base_url` is the origin and the base path. Raises ValueError if it or the token URL is not an HTTP URL."""
        self._base = demand_url("base_url", base_url).rstrip("/")
        demand_url("token_url", credentials.token_url)
        self._credentials = credentials
        self._retries = retries
        self._opener = build_opener(NoRedirects)
        self._token = ""
        self._token_until = 0.0
        # With the bookmark, the next answer is at least as new as the last one, from any copy of the database.
        self._bookmark = ""

    def issue(
        self,
        chain: ChainType,
        network: str,
        wallet: str,
        *,
        expiry: int | None = None,
        reference: str | None = None,
        subject: str | None = None,
        wait: int = 0,
    ) -> PassRecord:
        """Starts the issuance, and returns the pass.

        With `wait`, returns when it is settled, or after so many seconds (at most 20). `expiry` is in Unix seconds. A
        repeated call tries a rejected pass again and renews an expired one, and otherwise changes nothing. `reference`
        is your own name for the pass, and `subject` the one for the person who has the wallet: use no personal data.
        """
        body: IssueRequest = {"walletAddress": wallet}
        if expiry is not None:
            body["expiryTimestamp"] = expiry
        if reference is not None:
            body["reference"] = reference
        if subject is not None:
            body["subject"] = subject
        path = {"chain": chain, "chainNetwork": network}
        return self._call("POST", "/pass/{chain}/{chainNetwork}", path, body=body, wait=wait)

    def issue_and_wait(
        self,
        chain: ChainType,
        network: str,
        wallet: str,
        *,
        expiry: int | None = None,
        reference: str | None = None,
        subject: str | None = None,
        within: float = 120.0,
        on_wait: Callable[[PassRecord], None] = lambda record: None,
    ) -> PassRecord:
        """Issues a pass, and returns it when it is no longer REQUESTED: ACTIVE, or REJECTED by the chain.

        Raises PassNotSettled after `within` seconds. Calls `on_wait` with the pass before each further request.
        """
        until = time.monotonic() + within
        record = self.issue(chain, network, wallet, expiry=expiry, reference=reference, subject=subject, wait=20)
        while record["state"] == "REQUESTED":
            if time.monotonic() >= until:
                raise PassNotSettled(record)
            on_wait(record)
            time.sleep(1)
            record = self.get(chain, network, wallet, wait=20) or record
        return record

    def get(self, chain: ChainType, network: str, wallet: str, *, wait: int = 0) -> PassRecord | None:
        """Returns the pass of a wallet; None if it has none."""
        path = {"chain": chain, "chainNetwork": network, "wallet": wallet}
        try:
            return self._call("GET", "/pass/{chain}/{chainNetwork}/{wallet}", path, wait=wait)
        except Problem as problem:
            if problem.code == "pass_not_found":
                return None
            raise

    def update(
        self,
        chain: ChainType,
        network: str,
        wallet: str,
        *,
        state: WantedState | None = None,
        expiry: int | None = None,
        reference: str | None = None,
        subject: str | None = None,
        reason: str | None = None,
        wait: int = 0,
    ) -> PassRecord:
        """Freezes (FROZEN), unfreezes (ACTIVE) or revokes (REVOKED) a pass, or changes its expiry or its
        reference or its subject. An empty one removes that of the pass. The audit trail has the reason.
        """
        body: UpdateRequest = {}
        if state is not None:
            body["state"] = state
        if expiry is not None:
            body["expiryTimestamp"] = expiry
        if reference is not None:
            body["reference"] = reference or None
        if subject is not None:
            body["subject"] = subject or None
        if reason is not None:
            body["reason"] = reason
        path = {"chain": chain, "chainNetwork": network, "wallet": wallet}
        return self._call("PATCH", "/pass/{chain}/{chainNetwork}/{wallet}", path, body=body, wait=wait)

    def revoke(
        self, chain: ChainType, network: str, wallet: str, *, reason: str | None = None, wait: int = 0
    ) -> PassRecord:
        """Revokes a pass. Nobody can undo it."""
        path = {"chain": chain, "chainNetwork": network, "wallet": wallet}
        query = {"reason": reason}
        return self._call("DELETE", "/pass/{chain}/{chainNetwork}/{wallet}", path, query=query, wait=wait)

    def search(self, where: PassFilter | None = None, *, page_size: int = 100) -> Iterator[PassRecord]:
        """Iterates over all passes that match, and fetches each page when it is needed. The newest passes come first,
        unless the filter has its own order."""
        body: SearchRequest = {"limit": page_size, "filter": where or {}}
        places: set[str] = set()
        while True:
            found: FoundPasses = self._call("POST", "/pass", body=body)
            records = found["records"]
            yield from records
            # A service of an earlier release has no `next`.
            place = found.get("next") or (records[-1]["id"] if len(records) == page_size else None)
            if place is None:
                return
            if place in places:
                raise GatepassError("the service returned the same page again")
            places.add(place)
            body["after"] = place

    def events(
        self,
        after: int | Literal["newest"] = 0,
        *,
        types: Sequence[EventType] = (),
        follow: bool = True,
        poll_seconds: float = 5.0,
        page_size: int = 1000,
    ) -> Iterator[FeedEvent]:
        """Iterates over the events after a sequence, oldest first. With `follow`, waits for new ones at the end of
        the feed.

        Store the `sequence` of each event that you have handled, and continue after it. Raises Problem with the code
        `cursor_expired` if the feed has deleted events after it.
        """
        cursor: int | str = after
        while True:
            query = {"after": str(cursor), "limit": str(page_size), "type": ",".join(types) or None}
            page: FeedPage = self._call("GET", "/events", query=query)
            if isinstance(cursor, int) and (page["next"] < cursor or (page["more"] and page["next"] == cursor)):
                raise GatepassError("the service returned the same page again")
            yield from page["events"]
            cursor = page["next"]
            if page["more"]:
                continue
            if not follow:
                return
            time.sleep(poll_seconds)

    def clock(self) -> SandboxClock:
        """Returns the time of the sandbox. For a client of real passes, the methods of a sandbox raise Problem with the
        code `not_found`.
        """
        return self._call("GET", "/sandbox/clock")

    def advance_clock(self, seconds: int) -> SandboxClock:
        """Advances the time of the sandbox for all its clients, and returns it. Never retried without an answer,
        because it could advance twice.
        """
        body: ClockRequest = {"advanceSeconds": seconds}
        return self._call("POST", "/sandbox/clock", body=body, repeatable=False)

    def trigger(self, event: TriggerType, chain: ChainType = "ethereum", network: str = "sepolia") -> TriggeredEvent:
        """Causes an event in the sandbox, with a new pass on the network. The event follows within seconds."""
        body: TriggerRequest = {"type": event, "chain": {"type": chain, "network": network}}
        return self._call("POST", "/sandbox/trigger", body=body, repeatable=False)

    def _call(
        self,
        method: str,
        template: str,
        path: Mapping[str, str] = {},
        *,
        query: Mapping[str, str | None] = {},
        body: Mapping[str, Any] | None = None,
        wait: int = 0,
        repeatable: bool = True,
    ) -> Any:
        """Returns the answer's JSON. The paths, methods and fields are those of /openapi.json."""
        encoded = template.format_map({name: quote(value, safe="") for name, value in path.items()})
        asked = urlencode({name: value for name, value in query.items() if value is not None})
        url = self._base + encoded + (f"?{asked}" if asked else "")
        data = None if body is None else json.dumps(body).encode()
        answer = self._send_with_token(method, url, data, wait, repeatable)
        parsed = answer.json()
        if not 200 <= answer.status < 300 or not isinstance(parsed, dict):
            raise Problem(answer.status, answer.headers, parsed)
        self._bookmark = answer.headers.get("Gatepass-Bookmark") or self._bookmark
        return parsed

    def _send_with_token(self, method: str, url: str, data: bytes | None, wait: int, repeatable: bool) -> Answer:
        """Sends a request once more with a new token if the service does not accept a stored one."""
        headers = {"Accept": "application/json"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        if self._bookmark:
            headers["Gatepass-Bookmark"] = self._bookmark
        if wait > 0:
            headers["Prefer"] = f"wait={min(wait, 20)}"
        stored = self._token if time.monotonic() < self._token_until else ""
        for token in (stored, ""):
            headers["Authorization"] = f"Bearer {token or self._fetch_token()}"
            answer = self._send(method, url, data, headers, repeatable)
            if answer.status != 401 or not token:
                break
        return answer

    def _fetch_token(self) -> str:
        """Fetches a token by client credentials (RFC 6749, section 4.4), and stores it until shortly before its end."""
        url, secret = self._credentials.token_url, self._credentials.client_secret
        form = {
            "grant_type": "client_credentials",
            "client_id": self._credentials.client_id,
            "client_secret": secret,
            "audience": self._credentials.audience,
            "scope": self._credentials.scope,
        }
        data = urlencode({name: value for name, value in form.items() if value}).encode()
        begun = time.monotonic()
        try:
            answer = self._send("POST", url, data, {"Accept": "application/json"}, True)
        except Unreachable as error:
            raise TokenError(str(error)) from None
        parsed = answer.json()
        fields = parsed if isinstance(parsed, dict) else {}
        if answer.status != 200:
            said = f"{answer.status} {fields.get('error', '')} \n{fields.get('error_description', '')}"
            # A server may repeat the request in its answer.
            raise TokenError(said.replace(secret, "[hidden]").replace(quote(secret, safe=""), "[hidden]").strip("\n"))
        token = fields.get("access_token")
        # The token becomes a header, and an invalid header would appear in an error.
        if not isinstance(token, str) or not re.fullmatch(r"[\x21-\x7e]+", token):
            raise TokenError(f"{url} answers without one")
        lives = fields.get("expires_in")
        # A token without a lifetime serves until the service refuses it.
        seconds = float(lives) if isinstance(lives, (int, float)) else float("inf")
        self._token, self._token_until = token, begun + seconds - min(60.0, seconds / 4)
        return token

    def _send(
        self, method: str, url: str, data: bytes | None, headers: Mapping[str, str], repeatable: bool
    ) -> Answer:
        """Retries after 408, 429, 5xx, and without an answer. A request that may not be repeated is only retried
        after 429.
        """
        tried = 0
        while True:
            # A random part, so that programs that failed together do not retry together.
            pause = min(0.25 * 2**tried, 8.0) * random.uniform(0.5, 1.0)
            try:
                answer = self._attempt(method, url, data, headers)
                if answer.status < 500 and answer.status not in (408, 429):
                    return answer
                asked = seconds_in(answer.headers.get("Retry-After"))
                pause = pause if asked is None else asked
                last = tried >= self._retries.times or pause > self._retries.longest_pause
                if last or not (repeatable or answer.status == 429):
                    return answer
            except Unreachable:
                if tried >= self._retries.times or not repeatable:
                    raise
            tried += 1
            time.sleep(pause)

    def _attempt(self, method: str, url: str, data: bytes | None, headers: Mapping[str, str]) -> Answer:
        request = Request(url, data, dict(headers), method=method)
        try:
            try:
                opened = self._opener.open(request, timeout=self._retries.attempt_timeout)
            except HTTPError as refused:
                opened = refused
            with opened:
                body = opened.read(ANSWER_MAX_BYTES + 1)
                if len(body) > ANSWER_MAX_BYTES:
                    raise Unreachable(f"no answer from {url} (it is too long)")
                # The library does not report the end of a connection after a part of the body.
                if len(body) < int(opened.headers.get("Content-Length") or 0):
                    raise Unreachable(f"no answer from {url} (only a part of it)")
                return Answer(opened.getcode(), opened.headers, body)
        except (OSError, HTTPException) as error:
            raise Unreachable(f"no answer from {url} ({getattr(error, 'reason', error)})") from error


def verify_webhook(
    headers: Mapping[str, str],
    body: bytes,
    secrets: str | Sequence[str],
    *,
    now: float | None = None,
    tolerance_seconds: float = 300.0,
) -> FeedEvent:
    """Returns the event of a delivery, if one of the secrets signed it and it is recent. Raises NotVerified otherwise.

    `headers` may be those of any framework; `body` is the body as received, not parsed. During a rotation of the
    secret, pass both. `now` is in Unix seconds. Drop an event whose `id` you have handled: a delivery may arrive more
    than once. Raises ValueError for a malformed secret.

    Source: Standard Webhooks 1.0, https://www.standardwebhooks.com/
    """
    if not isinstance(body, (bytes, bytearray)):
        raise TypeError("verify_webhook needs the body as received: bytes, not parsed")
    keys = [key_of(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("verify_webhook needs the secret of the webhook")
    sent = {name.lower(): value for name, value in headers.items()}
    event_id, timestamp, signatures = (sent.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not (event_id and timestamp and signatures):
        raise NotVerified("webhook-id, webhook-timestamp or webhook-signature is missing")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise NotVerified("webhook-timestamp is not a time in Unix seconds")
    # In this form, a tolerance that is not a number accepts nothing.
    if not abs((time.time() if now is None else now) - int(timestamp)) <= tolerance_seconds:
        raise NotVerified("webhook-timestamp is too old or in the future; check the clock of the receiver")
    signed = f"{event_id}.{timestamp}.".encode() + bytes(body)
    valid = [b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()) for key in keys]
    given = [each.encode() for each in signatures.split(" ")]
    if not any([hmac.compare_digest(one, other) for one in valid for other in given]):
        raise NotVerified("no signature matches the id, the time and the unchanged body; check the secret")
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        event = None
    if not isinstance(event, dict) or event.get("id") != event_id or not isinstance(event.get("type"), str):
        raise NotVerified("the body is not the event that webhook-id names")
    return event  # type: ignore[return-value]


def key_of(secret: str) -> bytes:
    """Returns the bytes of a secret: `whsec_` and base64 of 24 to 64 bytes. The error does not contain the secret."""
    try:
        key = base64.b64decode(secret[len("whsec_") :], validate=True) if secret.startswith("whsec_") else b""
    except binascii.Error:
        key = b""
    if not 24 <= len(key) <= 64:
        raise ValueError("a secret of verify_webhook is malformed: it must be whsec_ and base64, without spaces")
    return key


def seconds_in(value: str | None) -> float | None:
    """Returns the seconds of `Retry-After`; None if it has another form. The service sends seconds."""
    return float(value) if value is not None and re.fullmatch(r"[0-9]{1,9}", value.strip()) else None


def list_of(value: Any) -> list[Any]:
    """Returns a list as it is, and an empty one for anything else."""
    return value if isinstance(value, list) else []


def demand_url(name: str, url: str) -> str:
    """Returns the URL. Raises ValueError unless it is an HTTP URL without a user name."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username is not None or "#" in url:
        raise ValueError(f"{name} must be a URL that begins with http, without a user name")
    return url


def main(arguments: Sequence[str], env: Mapping[str, str]) -> int:
    """Issues a pass, waits, and searches. Returns the exit code."""
    needed = ("GATEPASS_URL", "GATEPASS_TOKEN_URL", "GATEPASS_CLIENT_ID", "GATEPASS_CLIENT_SECRET")
    missing = [f"{name} is not set" for name in needed if not env.get(name)]
    if len(arguments) != 3:
        example = "gatepass.py ethereum sepolia 0x52908400098527886E0F7030069857D2E4169EE7"
        missing = [f"usage: gatepass.py CHAIN NETWORK WALLET, for example: {example}"]
    if missing:
        print(missing[0], file=sys.stderr)
        return 2
    base_url, token_url, client_id, client_secret = (env[name] for name in needed)
    audience, scope = env.get("GATEPASS_AUDIENCE"), env.get("GATEPASS_SCOPE")
    chain, network, wallet = arguments
    step = "issue"
    try:
        gatepass = Gatepass(base_url, Credentials(token_url, client_id, client_secret, audience, scope))
        record = gatepass.issue_and_wait(chain, network, wallet, on_wait=report_wait)  # type: ignore[arg-type]
        print(json.dumps(record))
        step = "search"
        print(json.dumps({"records": list(gatepass.search({"walletAddress": wallet}))}))
    except TokenError as error:
        print(f"token: {error}", file=sys.stderr)
        return 1
    except (GatepassError, ValueError) as error:
        print(f"{step}: {error}", file=sys.stderr)
        return 1
    if record["state"] != "ACTIVE":
        print(f"the pass is {record['state']}", file=sys.stderr)
        return 1
    return 0


def report_wait(record: PassRecord) -> None:
    """Tells a person that the program still works."""
    print("requested, not on chain yet", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], os.environ))
