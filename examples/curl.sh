#!/usr/bin/env bash
# Issues a pass for a wallet, waits until it is on chain, fetches it, and searches for all passes of the wallet.
# Needs bash, curl (7.66 or newer) and sed; README.md in this folder names the variables.
# Ends with 0 if the pass is ACTIVE, 1 if it is not, 2 if an argument or a variable is missing.
set -euo pipefail

fail() {
  echo "$2" >&2
  exit "$1"
}

# All three go into a URL or into JSON unchanged, so characters with a meaning there are refused.
[[ $# == 3 && $1$2$3 =~ ^[A-Za-z0-9-]+$ ]] ||
  fail 2 "usage: $0 CHAIN NETWORK WALLET, for example: $0 ethereum sepolia 0x52908400098527886E0F7030069857D2E4169EE7"
for name in GATEPASS_URL GATEPASS_TOKEN_URL GATEPASS_CLIENT_ID GATEPASS_CLIENT_SECRET; do
  [[ -n ${!name:-} ]] || fail 2 "$name is not set"
done
service=${GATEPASS_URL%/}
passes=$service/pass/$1/$2
wallet=$3

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# field NAME: prints the last text field with that name in the newest JSON answer.
field() {
  sed -nE 's/.*"'"$1"'" *: *"(([^"\\]|\\.)*)".*/\1/p' "$scratch/body"
}

# ask WHAT CURL-ARGUMENT...: stores the body of the answer in $scratch/body. After 429 and 5xx, curl retries by itself, as
# Retry-After says, for at most a minute. That is safe, because a wallet gets one pass.
ask() {
  local what=$1 status
  shift
  status=$(curl --silent --show-error --max-time 40 --retry 5 --retry-max-time 60 \
    --dump-header "$scratch/head" --output "$scratch/body" --write-out '%{http_code}' "$@") || fail 1 "$what: no answer"
  # Either a problem document of the service (RFC 9457) or an error of the authorization server (RFC 6749).
  [[ $status == 2* ]] || fail 1 "$what: $status $(field code)$(field error) $(field requestId)
$(field detail)$(field error_description)"
}

# A token is often valid for an hour: use one for many requests. The secret goes through a pipe, because every user of the
# machine can read the arguments of a program.
form=(--data grant_type=client_credentials --data-urlencode "client_id=$GATEPASS_CLIENT_ID")
[[ -z ${GATEPASS_AUDIENCE:-} ]] || form+=(--data-urlencode "audience=$GATEPASS_AUDIENCE")
[[ -z ${GATEPASS_SCOPE:-} ]] || form+=(--data-urlencode "scope=$GATEPASS_SCOPE")
ask token "$GATEPASS_TOKEN_URL" "${form[@]}" --data-urlencode client_secret@- < <(printf %s "$GATEPASS_CLIENT_SECRET")
token=$(field access_token)
[[ -n $token ]] || fail 1 "token: $GATEPASS_TOKEN_URL answers without one"

# ask_gatepass WHAT CURL-ARGUMENT...: the same, with the token. The answer arrives when the pass is settled, or after 20
# seconds with the pass as it is. With the bookmark, it is at least as new as the last one, from any copy of the database.
bookmark=
ask_gatepass() {
  ask "$@" --header @<(echo "Authorization: Bearer $token") --header 'Content-Type: application/json' \
    --header 'Prefer: wait=20' --header "Gatepass-Bookmark: $bookmark"
  local seen
  seen=$(sed -nE 's/^[Gg]atepass-[Bb]ookmark: *([^[:space:]]+).*/\1/p' "$scratch/head")
  bookmark=${seen:-$bookmark}
}

ask_gatepass issue "$passes" --data "{\"walletAddress\":\"$wallet\"}"
for ((looks = 0; looks < 15; looks++)); do
  ask_gatepass look "$passes/$wallet"
  [[ $(field state) == REQUESTED ]] || break
  echo 'requested, not on chain yet' >&2
  sleep 1
done
state=$(field state)
cat "$scratch/body"
echo

ask_gatepass search "$service/pass" --data "{\"filter\":{\"walletAddress\":\"$wallet\"}}"
cat "$scratch/body"
echo

[[ $state == ACTIVE ]] || fail 1 "the pass is $state"
