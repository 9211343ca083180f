/** Made from `openapi.json` by `npm run types -w @gatepass/client`: change nothing here. */

export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the service runs and is configured
         * @description Checks only the configuration: it reads neither the database nor a chain. Without a valid configuration, the response is 503 `not_configured`, and `errors` names the variables that are missing or wrong, for example `/TOKEN_ISSUER`. `GET /health/ready` asks the parts of the service.
         */
        get: operations["getHealth"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check that the parts of the service answer
         * @description Asks every database, the keys of the token issuer (the last fetched ones count), and one signer. It asks no chain. The result is up to 5 seconds old. Otherwise the response is 503 `temporarily_unavailable`, and `errors` lists the checks that failed, for example `/databases`. Many requests work meanwhile: the errors of each say so.
         */
        get: operations["getReadiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/.well-known/oauth-protected-resource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the accepted token issuer and the scopes (RFC 9728)
         * @description A 401 response has the URL of this document. A base path of the service follows this path instead of preceding it.
         */
        get: operations["getProtectedResource"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pass": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Search passes, newest first
         * @description Returns passes of your gatekeeper network. To read all of them, send `next` of each response as `after`, until a response has none. A page may have fewer records than `limit`, even none, and a `next`. A search is a large read (20 in 10 seconds) if it counts, if its `skip` is above 100, or if it has `walletPrefix`, `validity` or `expiresBefore` together with another filter.
         */
        post: operations["searchPasses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pass/{chain}/{chainNetwork}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue a pass to a wallet
         * @description The service stores the request, responds, and sends the transaction afterwards. A repeated request returns the same pass and sends no second transaction. It changes only a `REJECTED` pass, which it tries again, and an expired pass, which it renews to `expiryTimestamp` or for the default lifetime of passes of the partner. An `expiryTimestamp` other than the one requested last is refused, and so is a `reference` or a `subject` other than that of the pass: change them with PATCH. If the wallet already has a gateway token, the pass adopts it; a given `expiryTimestamp` is then set on it.
         */
        post: operations["issuePass"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pass/{chain}/{chainNetwork}/{wallet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch the pass of a wallet
         * @description Returns the record of the pass with its history. A pass of another gatekeeper network gives the same response as a missing pass.
         */
        get: operations["getPass"];
        put?: never;
        post?: never;
        /**
         * Revoke a pass
         * @description Does the same as PATCH with the state `REVOKED`. A revocation is final. A repeated request changes nothing.
         */
        delete: operations["revokePass"];
        options?: never;
        head?: never;
        /**
         * Freeze, unfreeze or revoke a pass, or change its expiry, its reference or its subject
         * @description The service stores the change, and the record shows it at once. The chain follows, and an event shows when the change is confirmed. A repeated request changes nothing. A change of a new pass waits until the issuance is final. On an Ethereum-type chain, a frozen pass gets a new expiry on chain only when it is unfrozen; until then, the pass counts as settled. A change of the reference alone takes no transaction, and is allowed in every state. `null` removes the reference, also from all events. The same holds for the subject, while the subject is neither frozen nor revoked. An expired pass with a subject gets a new expiry only as far as the rules of the gatekeeper network allow another pass of the subject.
         */
        patch: operations["updatePass"];
        trace?: never;
    };
    "/pass/{chain}/{chainNetwork}/{wallet}/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read a pass from the chain now, and adopt changes that others made
         * @description The service sends no transaction and creates no pass. It returns the record without a new reading while a transaction of the service for this wallet is under way, and while the loss of the token is not final. If the chain cannot be read, a `REJECTED` pass is returned as it is. For any other pass, the response is 503.
         */
        post: operations["syncPass"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/passes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Issue up to 100 passes
         * @description Each item is like a single issuance, and its result is the response that the single request would get. A refused item stops no other item. One wallet listed twice is one pass. These issuances wait behind single ones, whose users may wait for their passes. The problem of an item has one of these codes: `invalid_json`, `invalid_request`, `unknown_network`, `invalid_wallet`, `network_not_enabled`, `network_ended`, `network_not_allowed`, `pass_frozen`, `pass_revoked`, `pass_expired`, `expiry_differs`, `reference_differs`, `subject_differs`, `subject_required`, `subject_limit_reached`, `subject_frozen`, `subject_revoked`, `issued_by_another_gatekeeper`, `quota_reached`, `change_quota_reached`, `room_quota_reached`, `pass_change_limit_reached`, `waiting_limit_reached`, `sandbox_full`, `temporarily_unavailable`.
         */
        post: operations["issuePasses"];
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change up to 100 passes
         * @description Each item is like a single PATCH, and its result is the response that the single request would get. A refused item stops no other item. One pass listed twice is changed once. Freezing and revoking go first, as in single requests. The problem of an item has one of these codes: `invalid_json`, `invalid_request`, `unknown_network`, `invalid_wallet`, `network_ended`, `pass_not_found`, `pass_revoked`, `pass_rejected`, `subject_differs`, `subject_required`, `subject_limit_reached`, `subject_frozen`, `subject_revoked`, `issued_by_another_gatekeeper`, `change_quota_reached`, `room_quota_reached`, `pass_change_limit_reached`, `waiting_limit_reached`, `temporarily_unavailable`.
         */
        patch: operations["updatePasses"];
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the event feed, oldest first
         * @description Returns the events of your gatekeeper network in the order of `sequence`, which counts 1, 2, 3 … without a gap. Only a restore of the database skips numbers, and `feed.restored` is then the next event. To follow the feed, send the `next` of each response as `after` of the next request. `after=newest` returns no events and the newest sequence as `next`. The feed keeps events for 30 days by default. A request with a `limit` above 100 or with `type` is a large read: 20 in 10 seconds.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the passes issued, renewed and revoked in a month, and the active ones
         * @description Counts the confirmed transactions of your gatekeeper network by network. Each is an event of the feed with a transaction and without `byOthers`, and `pass.reorged` takes one back. Changes by others and tokens that the service found do not count. With `subjects`, it is a large read (20 in 10 seconds).
         */
        get: operations["getUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verify/{gatekeeperNetwork}/{chain}/{chainNetwork}/{wallet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Check whether a wallet has a valid pass
         * @description Needs no token. Exists only for gatekeeper networks whose operator has enabled it; for any other one the response is that of an unknown path. Reads what the service knows, and no chain. A change by the service shows after its confirmation. The service reads every 5 to 30 seconds which tokens others have changed on chain. A change that takes access away shows as soon as it is confirmed, with `pending` until it is final. Any other change shows when it is final. `coveredUntil` says how far the service has followed the chain, and `maxAge` demands it. A smart contract must not rely on this, and must check the gateway token on chain. Any page may call it. The response is up to 15 seconds old.
         */
        get: operations["verifyPass"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/verdict-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the keys that sign verdicts
         * @description Needs no token. Has each key that has ever signed a verdict of `GET /verify` with `signed=1`, also ended ones. Any page may call it, and caches may keep the response for a minute. It is empty for a service that signs none.
         */
        get: operations["listVerdictKeys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/subjects/{subject}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch a subject with its passes
         * @description Returns the state of the subject, the progress of its newest changes, and a page of its passes on all networks. `POST /pass` with `filter.subject` finds the same passes. It is a large read (20 in 10 seconds). A subject of another gatekeeper network gives the same response as a missing one.
         */
        get: operations["getSubject"];
        put?: never;
        post?: never;
        /**
         * Revoke all passes of a subject
         * @description Does the same as PATCH with the state `REVOKED`, which is final: no wallet gets a pass of the subject again.
         */
        delete: operations["revokeSubject"];
        options?: never;
        head?: never;
        /**
         * Freeze, unfreeze, renew or revoke all passes of a subject
         * @description The service stores the change and responds. All passes of the subject follow within seconds, on all networks, and their transactions as those of single changes: freezing and revoking go first. `GET /subjects/{subject}` shows the progress. While the subject is frozen, no wallet gets a pass of it, no pass of it can be unfrozen with PATCH or lose the subject, and a pass that is being issued ends frozen. Unfreezing the subject unfreezes only what its freeze has frozen. A newer change replaces an unfinished one. Renewing gives each pass that is neither revoked nor rejected the new expiry, an expired one only as far as the rules allow.
         */
        patch: operations["updateSubject"];
        trace?: never;
    };
    "/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the rules of the gatekeeper network
         * @description Shows the rules that the database has.
         */
        get: operations["getRules"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the rules of the gatekeeper network
         * @description Every location follows within 60 seconds. A rule concerns only later requests: a pass that exists stays, also if a subject has more of them than a new rule allows.
         */
        patch: operations["changeRules"];
        trace?: never;
    };
    "/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks of your gatekeeper network
         * @description Partners that share a gatekeeper network share its webhooks.
         */
        get: operations["listWebhooks"];
        put?: never;
        /**
         * Create a webhook
         * @description The service posts each new event of your gatekeeper network to the URL, signed as in Standard Webhooks 1.0. Only this response shows the secret. A gatekeeper network has at most five webhooks.
         */
        post: operations["createWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch a webhook
         * @description Shows whether the webhook is enabled, its position in the feed, and how many events wait for a retry.
         */
        get: operations["getWebhook"];
        put?: never;
        post?: never;
        /**
         * Delete a webhook
         * @description Deletes the webhook with its secret and its deliveries. Deliveries in flight still end. A webhook that the operator has disabled stays.
         */
        delete: operations["deleteWebhook"];
        options?: never;
        head?: never;
        /**
         * Change, disable or enable a webhook
         * @description A missing field keeps its value. An enabled webhook continues after its `cursor`. If the feed has deleted events after it, the webhook continues with the oldest event that is left, `cursor` shows that position, and its next delivery is the notice `feed.events_deleted`. If the operator has disabled the webhook, or another one with the same host, only the operator enables it. The URL of a webhook that the operator has disabled stays.
         */
        patch: operations["updateWebhook"];
        trace?: never;
    };
    "/webhooks/{webhook}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test delivery
         * @description Posts an event of the type `webhook.test` to the URL and returns the outcome. The feed does not have this event. Once per ten seconds.
         */
        post: operations["testWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook}/rotate-secret": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the secret of a webhook
         * @description Only this response shows the new secret. For 24 hours, deliveries have a signature of each secret. A second rotation ends the validity of the oldest secret at once.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver events again
         * @description Moves the position of the webhook, so that it delivers all events after the sequence again, with the same ids. Events that waited for a retry are among them. A sequence ahead of the position skips the events in between. Once per ten seconds. The webhooks of a gatekeeper network replay at most 100,000 events per day (UTC), and each replay counts 100 more than it repeats.
         */
        post: operations["replayWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/webhooks/{webhook}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the newest deliveries of a webhook, oldest first
         * @description The service keeps the newest 1,000 attempts, with their status and duration, and no body of a response.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the audit trail of your gatekeeper network
         * @description Each change that a client or a person of your gatekeeper network requested has an entry, with the hash of the entry before it. The trail has the entry of an issuance once the pass is settled, and otherwise within two minutes. It has all others within seconds after the change, and never loses one. The service keeps entries for 400 days by default. A page reads at most 2,000 entries to find those that match. A request with a `limit` above 100, `client`, `action`, `from` or `to` is a large read: 20 in 10 seconds.
         */
        get: operations["listAudit"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/clock": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read the clock of the sandbox
         * @description Returns the time that all clients of the sandbox see. It exists only for clients of a sandbox: all others get 404.
         */
        get: operations["getClock"];
        put?: never;
        /**
         * Advance the clock of the sandbox
         * @description Advances the time for all clients of the sandbox. Expiries and their notices follow. Daily quotas, webhooks and all limits have the real time. The clock only goes forward, at most ten times in a real minute, and is at most 400 days ahead. It exists only for clients of a sandbox: all others get 404.
         */
        post: operations["advanceClock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sandbox/trigger": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cause an event in the sandbox
         * @description Issues a pass to a new wallet, and has the pass get to the event by real requests and changes on the simulated chain. The event follows within seconds, in the feed and in webhooks. The notices `feed.restored` and `feed.events_deleted` come at once and have no pass. It exists only for clients of a sandbox: all others get 404.
         */
        post: operations["triggerEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    event: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * An event of the feed
         * @description The service posts each event to your URL. Answer with 2xx within 15 seconds. Any other answer is a failure, and the service retries it for about three days. Events of a pass arrive in order. The notices `feed.restored` and `feed.events_deleted` arrive whatever types you want.
         */
        post: operations["deliverEvent"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        /** @description An accepted item. */
        AcceptedItem: {
            /**
             * Format: int32
             * @description The status that the single request would get.
             * @example 202
             */
            status: number;
            /**
             * @description Whether nothing is left to do on chain. Otherwise an event of the feed shows the end of the change.
             * @example false
             */
            settled: boolean;
            record: components["schemas"]["PassRecord"];
        };
        /** @description Who acted. */
        AuditActor: {
            /**
             * @description The OAuth client. `gatepass`: the service itself.
             * @example acme
             */
            client: string;
            /**
             * @description The `sub` of a person who signed in to the console.
             * @example auth0|5f7c8ec7c33c6c004bbafe82
             */
            sub?: string;
        };
        /** @description An entry of an audit trail. It never changes. */
        AuditEntry: {
            /**
             * Format: int64
             * @description The place of the entry in its trail: 1, 2, 3 … without a gap.
             * @example 48212
             */
            sequence: number;
            /**
             * @description The hash of the entry before it. Empty: it is the first one.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            previous: string;
            /**
             * @description Names the item and which of its changes this is. Unique in the trail.
             * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c/3
             */
            key: string;
            /**
             * Format: date-time
             * @description The time of the change, in ISO 8601 and UTC.
             * @example 2026-11-20T11:03:45.000Z
             */
            at: string;
            /**
             * @description What was done. Currently one of `pass.issue`, `pass.renew`, `pass.set_expiry`, `pass.set_reference`, `pass.set_subject`, `pass.freeze`, `pass.unfreeze`, `pass.revoke`, `pass.sync`, `pass.repeat`, `console.sign_in`, `audit.delete`, `subject.change`, `subject.revoke`, `rules.change`, `webhook.create`, `webhook.change`, `webhook.delete`, `webhook.rotate_secret`, `webhook.replay`, `operator.redrive`, `operator.abandon`, `operator.withdraw`, `operator.revoke`, `operator.decide`, `operator.rebuild`, `operator.accept_losses`, `operator.move_network`, `operator.switch_webhook`, `operator.command`, `operator.add_partner`, `operator.import_partners`, `operator.change_partner`, `operator.switch_public_checks`, `operator.change_rules`. Later releases may add values.
             * @example pass.freeze
             */
            action: "pass.issue" | "pass.renew" | "pass.set_expiry" | "pass.set_reference" | "pass.set_subject" | "pass.freeze" | "pass.unfreeze" | "pass.revoke" | "pass.sync" | "pass.repeat" | "console.sign_in" | "audit.delete" | "subject.change" | "subject.revoke" | "rules.change" | "webhook.create" | "webhook.change" | "webhook.delete" | "webhook.rotate_secret" | "webhook.replay" | "operator.redrive" | "operator.abandon" | "operator.withdraw" | "operator.revoke" | "operator.decide" | "operator.rebuild" | "operator.accept_losses" | "operator.move_network" | "operator.switch_webhook" | "operator.command" | "operator.add_partner" | "operator.import_partners" | "operator.change_partner" | "operator.switch_public_checks" | "operator.change_rules" | (string & {});
            actor: components["schemas"]["AuditActor"];
            /**
             * Format: uuid
             * @description The id of the request, as in the events that it caused.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            requestId?: string;
            /**
             * @description The item, for example the pass and its wallet.
             * @example {
             *       "pass": "01a1f8a0-6cfb-7613-a30a-0ccef041f58c",
             *       "chain": {
             *         "type": "ethereum",
             *         "network": "sepolia"
             *       },
             *       "walletAddress": "0x52908400098527886E0F7030069857D2E4169EE7"
             *     }
             */
            target: {
                [key: string]: unknown;
            };
            /**
             * @description The state before, as far as the action knows it.
             * @example {
             *       "state": "ACTIVE",
             *       "client": "acme"
             *     }
             */
            before?: {
                [key: string]: unknown;
            };
            /**
             * @description The state afterwards. `referenceChanged`: the pass got another reference or lost it. `subjectChanged`: the same of its subject. The trail has no reference and no subject.
             * @example {
             *       "state": "FROZEN",
             *       "client": "acme"
             *     }
             */
            after?: {
                [key: string]: unknown;
            };
            /**
             * @description The reason that the actor gave.
             * @example case 4711
             */
            reason?: string;
            outcome: components["schemas"]["AuditOutcome"];
            /**
             * @description SHA-256 of the JSON of all fields before this one, in their order.
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            hash: string;
        };
        /** @description The outcome of an action. */
        AuditOutcome: {
            /**
             * @description How the action ended. `waits`: a second person must confirm it; `expired`: nobody used the approval within a day. `unknown`: all of it may have happened, a part, or nothing. Currently one of `done`, `waits`, `expired`, `unknown`. Later releases may add values.
             * @example done
             */
            type: "done" | "waits" | "expired" | "unknown" | (string & {});
            /**
             * Format: uuid
             * @description The id of the approval for which it waits.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            approval?: string;
            /**
             * @description With `unknown`, the name of the fault. Absent if the service stopped before the end.
             * @example DatabaseTimeout
             */
            why?: string;
            /**
             * @description The numbers of items that it concerned.
             * @example {
             *       "entries": 12
             *     }
             */
            counts?: {
                [key: string]: unknown;
            };
        };
        /** @description A page of an audit trail. */
        AuditPage: {
            /** @description The entries that match. */
            entries: components["schemas"]["AuditEntry"][];
            /**
             * Format: int64
             * @description The last sequence that the service read for this page. Send it as `after` for the next page.
             * @example 48212
             */
            next: number;
            /**
             * @description Whether there may be further entries. A page may be empty all the same.
             * @example false
             */
            more: boolean;
            /** @description The place after the newest entry. */
            head: {
                /**
                 * Format: int64
                 * @description The sequence of the entry before that place; 0: none.
                 * @example 48212
                 */
                sequence: number;
                /**
                 * @description The hash of that entry.
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                 */
                hash: string;
            };
            /** @description The place before the oldest entry that is left. */
            start: {
                /**
                 * Format: int64
                 * @description The sequence of the entry before that place; 0: none.
                 * @example 48212
                 */
                sequence: number;
                /**
                 * @description The hash of that entry.
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                 */
                hash: string;
            };
        };
        /** @description Says that the service did not make the change, and who made it. */
        ByOthers: {
            /**
             * @description The gatekeeper that made the change, with its EIP-55 checksum, or on Solana the key. Absent if it is not known.
             * @example 0x70997970C51812dc3A010C7d01b50e0d17dc79C8
             */
            gatekeeper?: string;
        };
        /** @description The chain and its network. */
        Chain: {
            /**
             * @description The type of the chain. Currently one of `ethereum`, `solana`. Later releases may add values.
             * @example ethereum
             */
            type: "ethereum" | "solana" | (string & {});
            /**
             * @description The network of the chain. Currently one of `sepolia`, `mainnet-beta`, `devnet`, `mainnet`, `polygonAmoy`, `polygonMainnet`, `polygonZKEVM`, `polygonZKEVMTestnet`, `optimismSepolia`, `optimismMainnet`, `arbitrumSepolia`, `arbitrumMainnet`, `avalancheCChain`, `avalancheCChainFuji`, `xdcMainnet`, `xdcApothem`, `fantomMainnet`, `fantomTestnet`, `baseSepolia`, `baseMainnet`, `bscMainnet`, `bscTestnet`, `xlayerMainnet`, `xlayerTestnet`, `unichainMainnet`, `unichainSepolia`, `sonicMainnet`, `sonicTestnet`. Later releases may add values.
             * @example sepolia
             */
            network: "sepolia" | "mainnet-beta" | "devnet" | "mainnet" | "polygonAmoy" | "polygonMainnet" | "polygonZKEVM" | "polygonZKEVMTestnet" | "optimismSepolia" | "optimismMainnet" | "arbitrumSepolia" | "arbitrumMainnet" | "avalancheCChain" | "avalancheCChainFuji" | "xdcMainnet" | "xdcApothem" | "fantomMainnet" | "fantomTestnet" | "baseSepolia" | "baseMainnet" | "bscMainnet" | "bscTestnet" | "xlayerMainnet" | "xlayerTestnet" | "unichainMainnet" | "unichainSepolia" | "sonicMainnet" | "sonicTestnet" | (string & {});
        };
        /**
         * @description The type of the chain.
         * @example ethereum
         * @enum {string}
         */
        ChainName: "ethereum" | "solana";
        /** @description A subject whose change is accepted. */
        ChangedSubject: {
            subject: components["schemas"]["SubjectName"];
            /**
             * @description The state of the subject. Currently one of `ACTIVE`, `FROZEN`, `REVOKED`. Later releases may add values.
             * @example FROZEN
             */
            state: "ACTIVE" | "FROZEN" | "REVOKED" | (string & {});
            /**
             * Format: int64
             * @description The number of passes that follow.
             * @example 3
             */
            passes: number;
            /** @description The newest change of the state, and the newest renewal, as far as there was one. */
            requests: components["schemas"]["SubjectProgress"][];
        };
        /** @description The time by which the clock advances. */
        ClockRequest: {
            /**
             * Format: int32
             * @description The number of seconds.
             * @example 691200
             */
            advanceSeconds: number;
        };
        /** @description The new webhook with its secret. */
        CreatedWebhook: components["schemas"]["Webhook"] & {
            /**
             * @description The secret that verifies deliveries: `whsec_` and base64 of 32 bytes. Store it now, because no other response shows it.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=
             */
            secret: string;
        };
        /** @description A page of the newest deliveries of a webhook. */
        Deliveries: {
            /** @description The attempts, oldest first. */
            deliveries: components["schemas"]["Delivery"][];
            /**
             * Format: int64
             * @description The number of the last delivery. Send it as `after` for the next page.
             * @example 1207
             */
            next: number;
            /**
             * @description Whether there are later deliveries.
             * @example false
             */
            more: boolean;
        };
        /** @description An attempt to deliver an event. */
        Delivery: {
            /**
             * Format: int64
             * @description The sequence number of the attempt: 1, 2, 3 … for each webhook.
             * @example 1207
             */
            number: number;
            /**
             * @description The id of the event.
             * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c.1
             */
            event: string;
            /**
             * Format: int64
             * @description The place of the event in the feed.
             * @example 48212
             */
            sequence: number;
            /**
             * @description A type of event. Currently one of `pass.issued`, `pass.renewed`, `pass.frozen`, `pass.unfrozen`, `pass.revoked`, `pass.expiry_changed`, `pass.rejected`, `pass.change_failed`, `pass.reorged`, `pass.expiring`, `pass.expired`, `feed.restored`, `pass.reference_changed`, `pass.subject_changed`, `feed.events_deleted`. Later releases may add values.
             * @example pass.issued
             */
            type: "pass.issued" | "pass.renewed" | "pass.frozen" | "pass.unfrozen" | "pass.revoked" | "pass.expiry_changed" | "pass.rejected" | "pass.change_failed" | "pass.reorged" | "pass.expiring" | "pass.expired" | "feed.restored" | "pass.reference_changed" | "pass.subject_changed" | "feed.events_deleted" | (string & {});
            /**
             * Format: date-time
             * @description The end of the attempt. In ISO 8601 and UTC.
             * @example 2026-11-20T11:03:45.000Z
             */
            at: string;
            /**
             * Format: int64
             * @description The number of attempts for the event so far, this one included. It grows more slowly if an attempt was made early.
             * @example 1
             */
            attempt: number;
            /**
             * @description `failed`: another attempt follows. `given_up`: the last retry failed, or too many events wait. A replay delivers the event while the feed has it. Currently one of `delivered`, `failed`, `given_up`. Later releases may add values.
             * @example delivered
             */
            outcome: "delivered" | "failed" | "given_up" | (string & {});
            /**
             * Format: int64
             * @description The HTTP status of the response. Absent if there was none.
             * @example 204
             */
            status?: number;
            /**
             * Format: int64
             * @description The duration of the delivery in milliseconds.
             * @example 84
             */
            durationMs: number;
            /**
             * @description Why there was no response.
             * @example no response within 15 s
             */
            error?: string;
        };
        /** @description An event of the feed. It never changes, except for `reference` and `subject` of its pass, which are the newest ones. A notice has no `data`. */
        FeedEvent: {
            /**
             * @description The id of the event: the id of the pass and a number that counts the events of the pass. It is the same in every response and every delivery.
             * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c.1
             */
            id: string;
            /**
             * Format: int64
             * @description The place of the event in the feed of the gatekeeper network: 1, 2, 3 … A restore of the database skips numbers.
             * @example 48212
             */
            sequence: number;
            /**
             * @description The kind of event. Notices reach every reader, whatever types it asks for. `feed.restored`: the service restored its database. `feed.events_deleted`, only in deliveries: the feed deleted the next events of the webhook. After a notice, read the passes again. Currently one of `pass.issued`, `pass.renewed`, `pass.frozen`, `pass.unfrozen`, `pass.revoked`, `pass.expiry_changed`, `pass.rejected`, `pass.change_failed`, `pass.reorged`, `pass.expiring`, `pass.expired`, `feed.restored`, `pass.reference_changed`, `pass.subject_changed`, `feed.events_deleted`. Later releases may add values.
             * @example pass.issued
             */
            type: "pass.issued" | "pass.renewed" | "pass.frozen" | "pass.unfrozen" | "pass.revoked" | "pass.expiry_changed" | "pass.rejected" | "pass.change_failed" | "pass.reorged" | "pass.expiring" | "pass.expired" | "feed.restored" | "pass.reference_changed" | "pass.subject_changed" | "feed.events_deleted" | (string & {});
            /**
             * Format: date-time
             * @description The time of the event, in ISO 8601 and UTC.
             * @example 2026-11-20T11:03:45.000Z
             */
            timestamp: string;
            data?: components["schemas"]["FeedEventData"];
        };
        /** @description The entry in the history of the pass, and the pass at that time. */
        FeedEventData: {
            event: components["schemas"]["PassEvent"];
            pass: components["schemas"]["PassSnapshot"];
        };
        /** @description A page of the event feed. */
        FeedPage: {
            /** @description At most `limit` events, in the order of `sequence`. */
            events: components["schemas"]["FeedEvent"][];
            /**
             * Format: int64
             * @description The last sequence that the service read for this page. Send it as `after` for the next page. With `type`, it may be later than the last event.
             * @example 48212
             */
            next: number;
            /**
             * @description Whether the feed has later events.
             * @example false
             */
            more: boolean;
        };
        /** @description A field that is invalid, and the rule that it violates; or a check of the service that failed, or a variable of its configuration that is missing or wrong. */
        FieldError: {
            /**
             * @description A JSON pointer (RFC 6901) into the body, or the name of a path or query parameter, or of a check or a variable of the service, after a slash. Empty: the whole body or query.
             * @example /walletAddress
             */
            pointer: string;
            /**
             * @description The rule that the field violates.
             * @example is required
             */
            detail: string;
        };
        /** @description A page of passes. */
        FoundPasses: {
            /** @description At most `limit` passes, newest first, unless the search has another order. */
            records: components["schemas"]["PassRecord"][];
            /**
             * @description The place after this page: send it as `after`. Absent: no page follows.
             * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c
             */
            next?: string;
            /**
             * Format: int64
             * @description The number of passes of all pages, if you asked for it.
             * @example 2
             */
            count?: number;
            /**
             * @description There may be more passes than `count`: the service counts the first 1,000 rows.
             * @example true
             * @constant
             */
            countIsMinimum?: true;
        };
        /**
         * @description A gatekeeper network: base58 of 32 bytes.
         * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
         */
        GatekeeperNetworkKey: string;
        /** @description The service runs, and its configuration is valid. */
        Health: {
            /**
             * @description Always `ok`. A fault gives a problem document instead.
             * @example ok
             * @constant
             */
            status: "ok";
            /**
             * @description The checks that succeeded.
             * @example [
             *       "configuration"
             *     ]
             */
            checks: ("configuration" | (string & {}))[];
        };
        /** @description A wallet to issue a pass to, its chain, and the expiry, the reference and the subject of the pass. */
        IssueItem: {
            /** @description The chain and the network of the pass. */
            chain: {
                type: components["schemas"]["ChainName"];
                network: components["schemas"]["NetworkName"];
            };
            walletAddress: components["schemas"]["Wallet"];
            /**
             * Format: int64
             * @description The expiry in Unix seconds, as in a single issuance.
             * @example 2208988800
             */
            expiryTimestamp?: number;
            /**
             * @description Your own name for the pass, as in a single issuance.
             * @example order-4711
             */
            reference?: string;
            /**
             * @description Your own name for the person, as in a single issuance.
             * @example p-7f3c9a51e2
             */
            subject?: string;
        };
        /** @description The passes to issue, over any chains and networks. */
        IssueManyRequest: {
            /** @description A bad item gets its own problem and stops no other item. */
            items: components["schemas"]["IssueItem"][];
        };
        /** @description The wallet to issue a pass to, and the expiry, the reference and the subject of the pass. */
        IssueRequest: {
            walletAddress: components["schemas"]["Wallet"];
            /**
             * Format: int64
             * @description The expiry in Unix seconds, in the future. It overrides the default lifetime of passes of the partner. If absent, a new gateway token gets the default lifetime, or never expires.
             * @example 2208988800
             */
            expiryTimestamp?: number;
            /**
             * @description Your own name for the pass: 1 to 128 characters, counted as Unicode code points, without control characters, marks of the writing direction, and spaces at the ends. Do not use personal data: your own systems know whose the name is.
             * @example order-4711
             */
            reference?: string;
            /**
             * @description Your own name for the person who has the wallet, the same for all wallets of the person: 1 to 64 visible ASCII characters, except `.` and `..`. Make it random, or compute it with a secret key. Never use personal data.
             * @example p-7f3c9a51e2
             */
            subject?: string;
        };
        /** @description The results of a bulk request. */
        ItemResults: {
            /** @description The result of each item, in the order of the items. An item has either a `record` or a `problem`. */
            results: (components["schemas"]["AcceptedItem"] | components["schemas"]["RefusedItem"])[];
        };
        /**
         * @description The network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.
         * @example sepolia
         * @enum {string}
         */
        NetworkName: "sepolia" | "mainnet-beta" | "devnet" | "mainnet" | "polygonAmoy" | "polygonMainnet" | "polygonZKEVM" | "polygonZKEVMTestnet" | "optimismSepolia" | "optimismMainnet" | "arbitrumSepolia" | "arbitrumMainnet" | "avalancheCChain" | "avalancheCChainFuji" | "xdcMainnet" | "xdcApothem" | "fantomMainnet" | "fantomTestnet" | "baseSepolia" | "baseMainnet" | "bscMainnet" | "bscTestnet" | "xlayerMainnet" | "xlayerTestnet" | "unichainMainnet" | "unichainSepolia" | "sonicMainnet" | "sonicTestnet";
        /** @description The usage of one network. Only transactions of the service count. */
        NetworkUsage: {
            chain: components["schemas"]["Chain"];
            /**
             * Format: int64
             * @description The number of confirmed issuances in the month. A reorg subtracts 1 in its own month.
             * @example 1204
             */
            issued: number;
            /**
             * Format: int64
             * @description The number of confirmed new expiries of expired passes in the month. A reorg subtracts 1 in its own month.
             * @example 87
             */
            renewed: number;
            /**
             * Format: int64
             * @description The number of confirmed revocations in the month. A reorg subtracts 1 in its own month.
             * @example 12
             */
            revoked: number;
            /**
             * Format: int64
             * @description The number of passes whose `state` is `ACTIVE` now, expired ones included.
             * @example 20391
             */
            active: number;
        };
        /** @description An event in the life of a pass. With `byOthers`, others made the change, and `transaction` is theirs: it is absent if it is not known. Without `byOthers`, `transaction` is one of this service: it is absent until it is sent, and if the change needed none. An event of an earlier release lacks `byOthers` also if others made the change. */
        PassEvent: {
            /**
             * @description The kind of event. `…_INITIATED`: a change begins. The bare name: the change is confirmed. `…_FAILED`: the change ended without effect. `…_REORGED`: the block of the confirmed change left the chain. `REFERENCE_CHANGED`: the pass got another `reference`, or lost it. `SUBJECT_CHANGED`: the pass got a `subject`, or lost it. Currently one of `TOKEN_ISSUED_INITIATED`, `TOKEN_ISSUED`, `TOKEN_ISSUED_FAILED`, `TOKEN_ISSUED_REORGED`, `TOKEN_FROZEN_INITIATED`, `TOKEN_FROZEN`, `TOKEN_FROZEN_FAILED`, `TOKEN_FROZEN_REORGED`, `TOKEN_UNFROZEN_INITIATED`, `TOKEN_UNFROZEN`, `TOKEN_UNFROZEN_FAILED`, `TOKEN_UNFROZEN_REORGED`, `TOKEN_REVOKED_INITIATED`, `TOKEN_REVOKED`, `TOKEN_REVOKED_FAILED`, `TOKEN_REVOKED_REORGED`, `TOKEN_EXPIRY_CHANGED_INITIATED`, `TOKEN_EXPIRY_CHANGED`, `TOKEN_EXPIRY_CHANGED_FAILED`, `TOKEN_EXPIRY_CHANGED_REORGED`, `TOKEN_EXPIRING`, `TOKEN_EXPIRED`, `REFERENCE_CHANGED`, `SUBJECT_CHANGED`. Later releases may add values.
             * @example TOKEN_ISSUED_INITIATED
             */
            eventType: "TOKEN_ISSUED_INITIATED" | "TOKEN_ISSUED" | "TOKEN_ISSUED_FAILED" | "TOKEN_ISSUED_REORGED" | "TOKEN_FROZEN_INITIATED" | "TOKEN_FROZEN" | "TOKEN_FROZEN_FAILED" | "TOKEN_FROZEN_REORGED" | "TOKEN_UNFROZEN_INITIATED" | "TOKEN_UNFROZEN" | "TOKEN_UNFROZEN_FAILED" | "TOKEN_UNFROZEN_REORGED" | "TOKEN_REVOKED_INITIATED" | "TOKEN_REVOKED" | "TOKEN_REVOKED_FAILED" | "TOKEN_REVOKED_REORGED" | "TOKEN_EXPIRY_CHANGED_INITIATED" | "TOKEN_EXPIRY_CHANGED" | "TOKEN_EXPIRY_CHANGED_FAILED" | "TOKEN_EXPIRY_CHANGED_REORGED" | "TOKEN_EXPIRING" | "TOKEN_EXPIRED" | "REFERENCE_CHANGED" | "SUBJECT_CHANGED" | (string & {});
            /**
             * Format: int64
             * @description The time of the event. In Unix seconds.
             * @example 1795172625
             */
            timestamp: number;
            transaction?: components["schemas"]["Transaction"];
            /**
             * @description The reason of the failure, for people. Only with `…_FAILED`.
             * @example superseded
             */
            reason?: string;
            /**
             * Format: uuid
             * @description The id of the request that caused the event. `GET /audit` says who sent it, and why. Absent if no request did: for a change by others, an expiry, and in events of earlier releases.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            requestId?: string;
            byOthers?: components["schemas"]["ByOthers"];
        };
        /** @description The conditions that the passes must meet. An empty filter matches all passes. */
        PassFilter: {
            /**
             * @description Only passes with this `state`.
             * @example ACTIVE
             * @enum {string}
             */
            state?: "REQUESTED" | "ACTIVE" | "FROZEN" | "REVOKED" | "REJECTED";
            walletAddress?: components["schemas"]["Wallet"];
            /** @description Only passes on this network. Both names are required. */
            chain?: {
                type: components["schemas"]["ChainName"];
                network: components["schemas"]["NetworkName"];
            };
            /**
             * @description Only passes with exactly this reference. It cannot be combined with another field of the filter.
             * @example order-4711
             */
            reference?: string;
            /**
             * @description Only passes with exactly this subject. It cannot be combined with another field of the filter.
             * @example p-7f3c9a51e2
             */
            subject?: string;
            /**
             * @description Only passes whose wallet begins with this text, in any case: at least six characters, after `0x` on Ethereum. Sorted by the wallet.
             * @example 0x52908400
             */
            walletPrefix?: string;
            /**
             * @description Only passes that are `valid` now, or that are not because they are `expired`. Sorted by `validUntil`, soonest first.
             * @example expired
             * @enum {string}
             */
            validity?: "valid" | "expired";
            /**
             * Format: int64
             * @description Only passes that are valid now, and no longer at this time, in Unix seconds. Sorted by `validUntil`, soonest first.
             * @example 2208988800
             */
            expiresBefore?: number;
        };
        /** @description A pass: the state that you want, the state on chain, and the history. */
        PassRecord: {
            /**
             * Format: uuid
             * @description The id of the pass: a UUIDv7. Ids sort by the time of creation.
             * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c
             */
            id: string;
            chain: components["schemas"]["Chain"];
            /**
             * @description Your gatekeeper network: base58 of 32 bytes.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            gatekeeperNetwork: string;
            /**
             * @description The wallet in its canonical form: an Ethereum address with its EIP-55 checksum, or on Solana base58 of 32 bytes.
             * @example 0x52908400098527886E0F7030069857D2E4169EE7
             * @example 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV
             */
            walletAddress: string;
            /** @description The history of the pass, oldest first: the first event and the newest 99. */
            events: components["schemas"]["PassEvent"][];
            /**
             * @description The state that the chain is known to hold. `NONE`: no token. An expired token stays `ACTIVE`. Currently one of `NONE`, `ACTIVE`, `FROZEN`, `REVOKED`. Later releases may add values.
             * @example ACTIVE
             */
            onChainState: "NONE" | "ACTIVE" | "FROZEN" | "REVOKED" | (string & {});
            /**
             * @description The state that you want. `REQUESTED`: the pass should be active, and is not on chain yet. `FROZEN`: not valid until it is unfrozen. `REVOKED`: final if you revoked it. `REJECTED`: the chain refused the issuance for good; POST tries it again. An expired pass stays `ACTIVE`. Currently one of `REQUESTED`, `ACTIVE`, `FROZEN`, `REVOKED`, `REJECTED`. Later releases may add values.
             * @example ACTIVE
             */
            state: "REQUESTED" | "ACTIVE" | "FROZEN" | "REVOKED" | "REJECTED" | (string & {});
            /**
             * @description Whether the pass is valid now, as `/verify` says it: wanted and on chain `ACTIVE`, not expired, and nobody is taking it away. Computed for each reply, never stored.
             * @example true
             */
            valid: boolean;
            /**
             * Format: int64
             * @description The last second in which an active token is valid, also after it has passed. Absent: it never expires, or the token is not active. In Unix seconds.
             * @example 2208988800
             */
            validUntil?: number;
            waitsFor?: components["schemas"]["WaitsFor"];
            /**
             * @description The contract that has the gateway token, with its EIP-55 checksum, or on Solana the gateway program. It does not change.
             * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
             * @example gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs
             */
            contract: string;
            /**
             * Format: int64
             * @description The expiry that you want. Absent if the pass never expires. In Unix seconds.
             * @example 2208988800
             */
            expiryTimestamp?: number;
            /**
             * @description Your own name for the pass. Absent if it has none.
             * @example order-4711
             */
            reference?: string;
            /**
             * @description Your own name for the person who has the wallet. Absent if it has none.
             * @example p-7f3c9a51e2
             */
            subject?: string;
        };
        /** @description A pass at the time of an event: the record of the pass without its history. If the pass had a `reference`, the event shows the newest one, or none once it is removed. */
        PassSnapshot: {
            /**
             * Format: uuid
             * @description The id of the pass: a UUIDv7. Ids sort by the time of creation.
             * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c
             */
            id: string;
            chain: components["schemas"]["Chain"];
            /**
             * @description Your gatekeeper network: base58 of 32 bytes.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            gatekeeperNetwork: string;
            /**
             * @description The wallet in its canonical form: an Ethereum address with its EIP-55 checksum, or on Solana base58 of 32 bytes.
             * @example 0x52908400098527886E0F7030069857D2E4169EE7
             * @example 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV
             */
            walletAddress: string;
            /**
             * @description The state that the chain is known to hold. `NONE`: no token. An expired token stays `ACTIVE`. Currently one of `NONE`, `ACTIVE`, `FROZEN`, `REVOKED`. Later releases may add values.
             * @example ACTIVE
             */
            onChainState: "NONE" | "ACTIVE" | "FROZEN" | "REVOKED" | (string & {});
            /**
             * @description The state that you want. `REQUESTED`: the pass should be active, and is not on chain yet. `FROZEN`: not valid until it is unfrozen. `REVOKED`: final if you revoked it. `REJECTED`: the chain refused the issuance for good; POST tries it again. An expired pass stays `ACTIVE`. Currently one of `REQUESTED`, `ACTIVE`, `FROZEN`, `REVOKED`, `REJECTED`. Later releases may add values.
             * @example ACTIVE
             */
            state: "REQUESTED" | "ACTIVE" | "FROZEN" | "REVOKED" | "REJECTED" | (string & {});
            /**
             * Format: int64
             * @description The last second in which an active token is valid, also after it has passed. Absent: it never expires, or the token is not active. In Unix seconds.
             * @example 2208988800
             */
            validUntil?: number;
            /**
             * @description The contract that has the gateway token, with its EIP-55 checksum, or on Solana the gateway program. It does not change.
             * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
             * @example gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs
             */
            contract: string;
            /**
             * Format: int64
             * @description The expiry that you want. Absent if the pass never expires. In Unix seconds.
             * @example 2208988800
             */
            expiryTimestamp?: number;
            /**
             * @description Your own name for the pass. Absent if it has none.
             * @example order-4711
             */
            reference?: string;
            /**
             * @description Your own name for the person who has the wallet. Absent if it has none.
             * @example p-7f3c9a51e2
             */
            subject?: string;
        };
        /** @description The reason why a request is refused: a problem document (RFC 9457). */
        Problem: {
            /**
             * Format: uri
             * @description The kind of problem: a URN that ends with the code.
             * @example urn:gatepass:problem:invalid_request
             */
            type: string;
            /**
             * @description The kind of problem in a few words.
             * @example Invalid request
             */
            title: string;
            /**
             * Format: int32
             * @description The HTTP status of the response.
             * @example 400
             */
            status: number;
            /**
             * @description A text for people that names the fault and the remedy. It may change with a release.
             * @example Some fields of the request are invalid. Correct the fields that "errors" lists.
             */
            detail: string;
            /**
             * @description The kind of problem, for programs. Codes may be added, but never change. Currently one of `invalid_json`, `invalid_request`, `unknown_network`, `invalid_wallet`, `network_not_enabled`, `network_ended`, `verdicts_not_enabled`, `token_missing`, `token_invalid`, `insufficient_scope`, `client_unknown`, `partner_suspended`, `network_not_allowed`, `another_person_required`, `not_found`, `pass_not_found`, `subject_not_found`, `webhook_not_found`, `partner_not_found`, `gatekeeper_network_not_found`, `method_not_allowed`, `body_timeout`, `pass_frozen`, `pass_revoked`, `pass_rejected`, `pass_expired`, `expiry_differs`, `reference_differs`, `subject_differs`, `subject_required`, `subject_limit_reached`, `subject_frozen`, `subject_revoked`, `issued_by_another_gatekeeper`, `webhook_limit_reached`, `webhook_disabled_by_operator`, `partner_exists`, `organization_taken`, `shard_differs`, `contract_differs`, `sandbox_differs`, `sandbox_full`, `public_networks_limit_reached`, `approval_not_valid`, `cursor_expired`, `body_too_large`, `unsupported_media_type`, `rate_limited`, `quota_reached`, `change_quota_reached`, `room_quota_reached`, `sync_quota_reached`, `pass_change_limit_reached`, `replay_quota_reached`, `waiting_limit_reached`, `internal_error`, `temporarily_unavailable`, `not_configured`, `not_fresh_enough`. Later releases may add values.
             * @example invalid_request
             */
            code: "invalid_json" | "invalid_request" | "unknown_network" | "invalid_wallet" | "network_not_enabled" | "network_ended" | "verdicts_not_enabled" | "token_missing" | "token_invalid" | "insufficient_scope" | "client_unknown" | "partner_suspended" | "network_not_allowed" | "another_person_required" | "not_found" | "pass_not_found" | "subject_not_found" | "webhook_not_found" | "partner_not_found" | "gatekeeper_network_not_found" | "method_not_allowed" | "body_timeout" | "pass_frozen" | "pass_revoked" | "pass_rejected" | "pass_expired" | "expiry_differs" | "reference_differs" | "subject_differs" | "subject_required" | "subject_limit_reached" | "subject_frozen" | "subject_revoked" | "issued_by_another_gatekeeper" | "webhook_limit_reached" | "webhook_disabled_by_operator" | "partner_exists" | "organization_taken" | "shard_differs" | "contract_differs" | "sandbox_differs" | "sandbox_full" | "public_networks_limit_reached" | "approval_not_valid" | "cursor_expired" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "quota_reached" | "change_quota_reached" | "room_quota_reached" | "sync_quota_reached" | "pass_change_limit_reached" | "replay_quota_reached" | "waiting_limit_reached" | "internal_error" | "temporarily_unavailable" | "not_configured" | "not_fresh_enough" | (string & {});
            /**
             * Format: uuid
             * @description The id of the request in the log of the service.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            requestId: string;
            /** @description The invalid fields of the request. Absent if the problem is not about fields. */
            errors?: components["schemas"]["FieldError"][];
            /**
             * Format: int64
             * @description The oldest sequence that the feed has, or will have. Only with `cursor_expired`.
             * @example 48211
             */
            oldest?: number;
            rule?: components["schemas"]["ReachedRule"];
        };
        /** @description Metadata of a protected resource (RFC 9728). */
        ProtectedResource: {
            /**
             * Format: uri
             * @description The URL of this service: origin and base path.
             * @example https://passes.example.org
             */
            resource: string;
            /**
             * @description The name of the service, for people.
             * @example Gatepass
             */
            resource_name: string;
            /** @description The issuers whose access tokens the service accepts. */
            authorization_servers: string[];
            /** @description The scopes that the operations require. */
            scopes_supported: string[];
            /** @description The ways to send a token: only in the header `Authorization`. */
            bearer_methods_supported: ("header" | (string & {}))[];
        };
        /** @description The rule that allows no further pass of the subject. Only with `subject_limit_reached`. */
        ReachedRule: {
            /**
             * @description The rule. Currently one of `subjectMaxPasses`, `subjectMaxPassesPerNetwork`. Later releases may add values.
             * @example subjectMaxPasses
             */
            name: "subjectMaxPasses" | "subjectMaxPassesPerNetwork" | (string & {});
            /**
             * Format: int64
             * @description The number of passes that it allows.
             * @example 1
             */
            maximum: number;
            /** @description The first passes of the subject that count. */
            passes: {
                /** @description The chain and its network. */
                chain: {
                    /**
                     * @description The type of the chain. Currently one of `ethereum`, `solana`. Later releases may add values.
                     * @example ethereum
                     */
                    type: "ethereum" | "solana" | (string & {});
                    /**
                     * @description The network of the chain. Currently one of `sepolia`, `mainnet-beta`, `devnet`, `mainnet`, `polygonAmoy`, `polygonMainnet`, `polygonZKEVM`, `polygonZKEVMTestnet`, `optimismSepolia`, `optimismMainnet`, `arbitrumSepolia`, `arbitrumMainnet`, `avalancheCChain`, `avalancheCChainFuji`, `xdcMainnet`, `xdcApothem`, `fantomMainnet`, `fantomTestnet`, `baseSepolia`, `baseMainnet`, `bscMainnet`, `bscTestnet`, `xlayerMainnet`, `xlayerTestnet`, `unichainMainnet`, `unichainSepolia`, `sonicMainnet`, `sonicTestnet`. Later releases may add values.
                     * @example sepolia
                     */
                    network: "sepolia" | "mainnet-beta" | "devnet" | "mainnet" | "polygonAmoy" | "polygonMainnet" | "polygonZKEVM" | "polygonZKEVMTestnet" | "optimismSepolia" | "optimismMainnet" | "arbitrumSepolia" | "arbitrumMainnet" | "avalancheCChain" | "avalancheCChainFuji" | "xdcMainnet" | "xdcApothem" | "fantomMainnet" | "fantomTestnet" | "baseSepolia" | "baseMainnet" | "bscMainnet" | "bscTestnet" | "xlayerMainnet" | "xlayerTestnet" | "unichainMainnet" | "unichainSepolia" | "sonicMainnet" | "sonicTestnet" | (string & {});
                };
                /**
                 * @description The wallet in its canonical form: an Ethereum address with its EIP-55 checksum, or on Solana base58 of 32 bytes.
                 * @example 0x52908400098527886E0F7030069857D2E4169EE7
                 * @example 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV
                 */
                walletAddress: string;
            }[];
        };
        /** @description The parts of the service answer. */
        Readiness: {
            /**
             * @description Always `ready`. A check that fails gives a problem document instead.
             * @example ready
             * @constant
             */
            status: "ready";
            /**
             * @description The checks that succeeded.
             * @example [
             *       "databases",
             *       "issuerKeys",
             *       "signer"
             *     ]
             */
            checks: ("databases" | "issuerKeys" | "signer" | (string & {}))[];
        };
        /** @description A refused item. Pointers of its errors begin with `/items/` and its index. */
        RefusedItem: {
            /**
             * Format: int32
             * @description The status that the single request would get.
             * @example 409
             */
            status: number;
            problem: components["schemas"]["Problem"];
            /**
             * Format: int64
             * @description Seconds after which a retry makes sense, as in `Retry-After`.
             * @example 60
             */
            retryAfter?: number;
        };
        /** @description The position from which the webhook delivers again. */
        ReplayRequest: {
            /**
             * Format: int64
             * @description Events after this sequence are delivered again. 0: all that the feed has from its beginning.
             * @example 48200
             */
            after: number;
        };
        /** @description The new secret of a webhook. */
        RotatedSecret: {
            /**
             * @description The secret that verifies deliveries: `whsec_` and base64 of 32 bytes. Store it now, because no other response shows it.
             * @example whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=
             */
            secret: string;
            /**
             * Format: date-time
             * @description Until when deliveries also have a signature of the previous secret. In ISO 8601 and UTC.
             * @example 2026-11-20T11:03:45.000Z
             */
            previousValidUntil: string;
        };
        /** @description The rules of a gatekeeper network for the passes of a subject. */
        Rules: {
            /**
             * Format: int64
             * @description The maximum number of passes of a subject on all networks. Only passes count whose `state` is `REQUESTED`, `ACTIVE` or `FROZEN`, and that have not expired. Absent: no limit.
             * @example 1
             */
            subjectMaxPasses?: number;
            /**
             * Format: int64
             * @description The maximum number of passes of a subject on each network. Only passes count whose `state` is `REQUESTED`, `ACTIVE` or `FROZEN`, and that have not expired. Absent: no limit.
             * @example 1
             */
            subjectMaxPassesPerNetwork?: number;
            /**
             * @description Whether each issuance must name a subject. Absent: no.
             * @example true
             */
            subjectRequired?: boolean;
        };
        /** @description The rules to change. An absent one stays, and `null` ends it. */
        RulesRequest: {
            /**
             * Format: int32
             * @description The maximum number of passes of a subject on all networks. Only passes count whose `state` is `REQUESTED`, `ACTIVE` or `FROZEN`, and that have not expired.
             * @example 1
             */
            subjectMaxPasses?: number | null;
            /**
             * Format: int32
             * @description The maximum number of passes of a subject on each network. Only passes count whose `state` is `REQUESTED`, `ACTIVE` or `FROZEN`, and that have not expired.
             * @example 1
             */
            subjectMaxPassesPerNetwork?: number | null;
            /**
             * @description Whether each issuance must name a subject.
             * @example true
             */
            subjectRequired?: boolean;
            /**
             * @description The reason, for the audit trail: at most 200 characters.
             * @example case 4711
             */
            reason?: string;
        } | unknown | unknown | unknown;
        /** @description The clock of the sandbox. */
        SandboxClock: {
            /**
             * Format: int64
             * @description The time of the sandbox. In Unix seconds.
             * @example 1795258800
             */
            now: number;
        };
        /** @description A filter and a page. No body means `{}`: the newest passes without a filter. */
        SearchRequest: {
            /**
             * Format: int32
             * @description The maximum number of passes in the response.
             * @default 20
             * @example 20
             */
            limit?: number;
            /**
             * Format: int32
             * @description The number of passes to leave out. It cannot be combined with `after`, which costs less and goes deeper.
             * @example 0
             */
            skip?: number;
            /**
             * @description `next` of the previous page, or the id of a pass if the list is sorted by id: only passes that come after it. It cannot be combined with `skip`. It costs the same at any depth.
             * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c
             */
            after?: string;
            filter?: components["schemas"]["PassFilter"];
            /**
             * @description Whether the newest or the oldest passes come first. It cannot be combined with `walletPrefix`, `validity` and `expiresBefore`.
             * @example newest
             * @enum {string}
             */
            order?: "newest" | "oldest";
            /**
             * @description `true` counts the passes of all pages, up to 1,000.
             * @example false
             */
            count?: boolean;
        };
        /** @description A subject and a page of its passes. */
        Subject: {
            subject: components["schemas"]["SubjectName"];
            /**
             * @description The state of the subject. Currently one of `ACTIVE`, `FROZEN`, `REVOKED`. Later releases may add values.
             * @example FROZEN
             */
            state: "ACTIVE" | "FROZEN" | "REVOKED" | (string & {});
            /**
             * @description The number of its passes by state: REQUESTED, ACTIVE, FROZEN, REVOKED, REJECTED.
             * @example {
             *       "FROZEN": 2,
             *       "REVOKED": 1
             *     }
             */
            passes: {
                [key: string]: number;
            };
            /** @description The newest change of the state, and the newest renewal, as far as there was one. */
            requests: components["schemas"]["SubjectProgress"][];
            /** @description At most `limit` passes, newest first. */
            records: components["schemas"]["PassRecord"][];
            /**
             * @description The place after this page: send it as `after`. Absent: no page follows.
             * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c
             */
            next?: string;
        };
        /** @description Either `state` or `expiryTimestamp`. */
        SubjectChangeRequest: {
            /**
             * @description The state of the subject. `FROZEN` freezes all its passes, `ACTIVE` unfreezes those that its freeze has frozen, and `REVOKED` is final.
             * @example FROZEN
             * @enum {string}
             */
            state?: "ACTIVE" | "FROZEN" | "REVOKED";
            /**
             * Format: int64
             * @description The new expiry of all its passes in Unix seconds, in the future.
             * @example 2208988800
             */
            expiryTimestamp?: number;
            /**
             * @description The reason, for the audit trail: at most 200 characters.
             * @example case 4711
             */
            reason?: string;
        } & (unknown | unknown);
        /**
         * @description Your own name for the person who has the wallet, the same for all wallets of the person: 1 to 64 visible ASCII characters, except `.` and `..`. Make it random, or compute it with a secret key. Never use personal data.
         * @example p-7f3c9a51e2
         */
        SubjectName: string;
        /** @description A change of all passes of a subject, and how far it has come. */
        SubjectProgress: {
            /**
             * @description The requested state. Absent: the request was a renewal. Currently one of `ACTIVE`, `FROZEN`, `REVOKED`. Later releases may add values.
             * @example FROZEN
             */
            state?: "ACTIVE" | "FROZEN" | "REVOKED" | (string & {});
            /**
             * Format: int64
             * @description The requested expiry. In Unix seconds.
             * @example 2208988800
             */
            expiryTimestamp?: number;
            /**
             * Format: uuid
             * @description The id of the request. `GET /audit` has its entry, and one of each pass.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            requestId?: string;
            /**
             * Format: date-time
             * @description The time of the request.
             * @example 2026-11-20T11:03:45.123Z
             */
            requestedAt: string;
            /**
             * Format: int64
             * @description The number of passes at the time of the request.
             * @example 3
             */
            total: number;
            /**
             * Format: int64
             * @description The number of passes that have followed, or had no need. The chain follows each of them.
             * @example 2
             */
            done: number;
            /**
             * @description The number of those that could not follow, by problem code.
             * @example {}
             */
            refused: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @description The time when the last pass followed. Absent: some passes are left.
             * @example 2026-11-20T11:03:45.123Z
             */
            finishedAt?: string;
        };
        /** @description The subjects and their passes on all networks. Only if you asked for them. */
        SubjectUsage: {
            /**
             * Format: int64
             * @description The number of subjects that have a pass whose `state` is `ACTIVE` now, expired ones included.
             * @example 8107
             */
            count: number;
            /**
             * Format: int64
             * @description The number of those passes.
             * @example 12240
             */
            passes: number;
        };
        /** @description The outcome of a test delivery. */
        TestedWebhook: {
            /**
             * @description Whether the URL answered with 2xx.
             * @example true
             */
            delivered: boolean;
            /**
             * Format: int64
             * @description The HTTP status of the response. Absent if there was none.
             * @example 204
             */
            status?: number;
            /**
             * Format: int64
             * @description The duration of the delivery in milliseconds.
             * @example 84
             */
            durationMs: number;
            /**
             * @description Why there was no response.
             * @example no response within 15 s
             */
            error?: string;
        };
        /** @description A transaction on the chain. It has the same status in all events that name it, so an earlier event may change. */
        Transaction: {
            /**
             * @description The hash of the transaction, or on Solana its signature in base58. It may change until `status` is `confirmed`.
             * @example 0x148c2f1f20a3b1de9f5a2f7cde87f1b1b1e54e7b4dbe8d5e9b6ac2f4c9c66163
             */
            identifier: string;
            /**
             * @description `sent`: in no block yet, or not deep enough. `confirmed`: in a block at the required depth, with the expected effect. `failed`: the transaction had no effect. After a reorg, `confirmed` may change to `sent` or `failed`. Currently one of `sent`, `confirmed`, `failed`. Later releases may add values.
             * @example confirmed
             */
            status: "sent" | "confirmed" | "failed" | (string & {});
        };
        /** @description The event to cause. */
        TriggerRequest: {
            /**
             * @description The type of the event.
             * @example pass.rejected
             * @enum {string}
             */
            type: "pass.issued" | "pass.renewed" | "pass.frozen" | "pass.unfrozen" | "pass.revoked" | "pass.expiry_changed" | "pass.rejected" | "pass.change_failed" | "pass.reorged" | "pass.expiring" | "pass.expired" | "feed.restored" | "pass.reference_changed" | "pass.subject_changed" | "feed.events_deleted";
            /** @description The chain and the network of the new pass. Default: `ethereum`, `sepolia`. */
            chain?: {
                type: components["schemas"]["ChainName"];
                network: components["schemas"]["NetworkName"];
            };
        };
        /** @description The event that follows. A notice has no pass. */
        TriggeredEvent: {
            /**
             * @description The type of the event. Currently one of `pass.issued`, `pass.renewed`, `pass.frozen`, `pass.unfrozen`, `pass.revoked`, `pass.expiry_changed`, `pass.rejected`, `pass.change_failed`, `pass.reorged`, `pass.expiring`, `pass.expired`, `feed.restored`, `pass.reference_changed`, `pass.subject_changed`, `feed.events_deleted`. Later releases may add values.
             * @example pass.rejected
             */
            type: "pass.issued" | "pass.renewed" | "pass.frozen" | "pass.unfrozen" | "pass.revoked" | "pass.expiry_changed" | "pass.rejected" | "pass.change_failed" | "pass.reorged" | "pass.expiring" | "pass.expired" | "feed.restored" | "pass.reference_changed" | "pass.subject_changed" | "feed.events_deleted" | (string & {});
            pass?: components["schemas"]["TriggeredPass"];
        };
        /** @description The new pass that gets the event. */
        TriggeredPass: {
            chain: components["schemas"]["Chain"];
            /**
             * @description The wallet of the pass.
             * @example 0x52908400098527886E0F7030069857D2E4169EE7
             */
            walletAddress: string;
        };
        /** @description A pass and its change: at least one of `state`, `expiryTimestamp`, `reference` and `subject`, as in a single PATCH. */
        UpdateItem: {
            /** @description The chain and the network of the pass. */
            chain: {
                type: components["schemas"]["ChainName"];
                network: components["schemas"]["NetworkName"];
            };
            walletAddress: components["schemas"]["Wallet"];
            /**
             * @description The state that the pass should have.
             * @example FROZEN
             * @enum {string}
             */
            state?: "ACTIVE" | "FROZEN" | "REVOKED";
            /**
             * Format: int64
             * @description The new expiry in Unix seconds.
             * @example 2208988800
             */
            expiryTimestamp?: number;
            /**
             * @description Your own name for the pass. `null` removes it.
             * @example order-4711
             */
            reference?: string | null;
            /**
             * @description Your own name for the person. `null` removes it.
             * @example p-7f3c9a51e2
             */
            subject?: string | null;
            /**
             * @description Why, as in a single PATCH.
             * @example case 4711
             */
            reason?: string;
        };
        /** @description The passes to change, over any chains and networks. */
        UpdateManyRequest: {
            /** @description A bad item gets its own problem and stops no other item. */
            items: components["schemas"]["UpdateItem"][];
        };
        /** @description At least one of `state`, `expiryTimestamp`, `reference` and `subject`. A missing field keeps its value. `expiryTimestamp` cannot be combined with `REVOKED`. */
        UpdateRequest: {
            /**
             * @description The state that the pass should have. `ACTIVE` unfreezes a frozen pass. `REVOKED` is final.
             * @example FROZEN
             * @enum {string}
             */
            state?: "ACTIVE" | "FROZEN" | "REVOKED";
            /**
             * Format: int64
             * @description The new expiry in Unix seconds, in the future. An expiry cannot be removed.
             * @example 2208988800
             */
            expiryTimestamp?: number;
            /**
             * @description Your own name for the pass: 1 to 128 characters, counted as Unicode code points, without control characters, marks of the writing direction, and spaces at the ends. Do not use personal data: your own systems know whose the name is. `null` removes it. Allowed in every state of the pass.
             * @example order-4711
             */
            reference?: string | null;
            /**
             * @description Your own name for the person who has the wallet, the same for all wallets of the person: 1 to 64 visible ASCII characters, except `.` and `..`. Make it random, or compute it with a secret key. Never use personal data. `null` removes it, also from all events. A pass that has another subject must lose that first.
             * @example p-7f3c9a51e2
             */
            subject?: string | null;
            /**
             * @description Why, for the audit trail: at most 200 characters. Only with `FROZEN` or `REVOKED`. No dApp sees it.
             * @example case 4711
             */
            reason?: string;
        };
        /** @description The record of the pass with `status`. */
        UpdatedPass: components["schemas"]["PassRecord"] & {
            /**
             * @description Always `ok`. Clients of the hosted service read this field.
             * @example ok
             * @constant
             */
            status: "ok";
        };
        /** @description The usage of a month by network. */
        Usage: {
            /**
             * @description The month (UTC).
             * @example 2026-11
             */
            month: string;
            /** @description Each network where the gatekeeper network ever had an active pass or a confirmed change. */
            networks: components["schemas"]["NetworkUsage"][];
            subjects?: components["schemas"]["SubjectUsage"];
        };
        /** @description The keys that sign verdicts. */
        VerdictKeys: {
            /** @description All keys that have ever signed verdicts, the oldest first. An ended key stays in the list. */
            keys: {
                /**
                 * @description The address of the key. With its EIP-55 checksum.
                 * @example 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC
                 */
                address: string;
                /**
                 * Format: int64
                 * @description The time from which the service signs with it. In Unix seconds.
                 * @example 1795172625
                 */
                from: number;
                /**
                 * Format: int64
                 * @description The time at which it ended. Trust no verdict of it from then on. Absent while it signs. In Unix seconds.
                 * @example 1798000000
                 */
                until?: number;
            }[];
        };
        /** @description Whether a wallet has a valid pass. */
        Verification: {
            /**
             * @description Whether the pass is known to be `ACTIVE` on chain, should be `ACTIVE`, and has not expired. `false` also if others have taken access away, or if a removed gatekeeper issued the token, or may have, and its tokens are void.
             * @example true
             */
            valid: boolean;
            /**
             * @description The state that the chain is known to hold. `NONE`: the wallet has no gateway token. Currently one of `NONE`, `ACTIVE`, `FROZEN`, `REVOKED`. Later releases may add values.
             * @example ACTIVE
             */
            state: "NONE" | "ACTIVE" | "FROZEN" | "REVOKED" | (string & {});
            /**
             * @description Present, and `valid` is `false`, if others have taken access away on chain and that is not final yet. `state` and `expiryTimestamp` show the earlier state until then. The field disappears when the change is final, or has left the chain.
             * @example true
             * @constant
             */
            pending?: true;
            /**
             * Format: int64
             * @description The time when the pass expires. Absent if it never expires or is not on chain. In Unix seconds.
             * @example 2208988800
             */
            expiryTimestamp?: number;
            /**
             * @description The contract that has the gateway token, with its EIP-55 checksum, or on Solana the gateway program. It does not change.
             * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
             * @example gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs
             */
            contract: string;
            /**
             * Format: int64
             * @description The time when the service read its database. In Unix seconds.
             * @example 1795172625
             */
            asOf: number;
            /**
             * Format: int64
             * @description The time up to which the service has followed the chain of the network. Changes by others until then are in this response: a loss once it is confirmed, any other change once it is final. Null if the service has never followed the chain. For a wallet without a pass, this is `asOf`, because no change on chain gives it one. In Unix seconds.
             * @example 1795172625
             */
            coveredUntil: number | null;
            /** @description With `signed=1`, and only for a valid pass: a message of EIP-712 and its signature, for a contract. `notSigned` says otherwise why it is absent. */
            verdict?: {
                /** @description The domain: only this contract on this chain accepts the signature. */
                domain: {
                    /**
                     * @description The name of the domain: always the same.
                     * @example Gatepass verdict
                     */
                    name: string;
                    /**
                     * @description The version of the message.
                     * @example 1
                     */
                    version: string;
                    /**
                     * Format: int64
                     * @description The number of the chain of the asking contract (chain id), as in the request.
                     * @example 8453
                     */
                    chainId: number;
                    /**
                     * @description The asking contract, as in the request. With its EIP-55 checksum.
                     * @example 0xbD2aAF5cbB58AB5Cd6aAB72Fa1BA2FBB0Fb0E1C4
                     */
                    verifyingContract: string;
                };
                /** @description The type of the message. */
                types: {
                    /** @description The fields of the message, in the order of the type. */
                    PassVerdict: {
                        /**
                         * @description The name of the field.
                         * @example wallet
                         */
                        name: string;
                        /**
                         * @description Its Solidity type.
                         * @example address
                         */
                        type: string;
                    }[];
                };
                /**
                 * @description The name of the type.
                 * @example PassVerdict
                 */
                primaryType: string;
                /** @description The message. */
                message: {
                    /**
                     * Format: int64
                     * @description The number of the chain that has the pass (chain id).
                     * @example 11155111
                     */
                    passChainId: number;
                    /**
                     * @description The contract that has the pass. With its EIP-55 checksum.
                     * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                     */
                    gateway: string;
                    /**
                     * @description The slot number of the gatekeeper network: a text, because JSON numbers are too small for it.
                     * @example 1
                     */
                    gatekeeperNetwork: string;
                    /**
                     * @description The wallet. With its EIP-55 checksum.
                     * @example 0x52908400098527886E0F7030069857D2E4169EE7
                     */
                    wallet: string;
                    /**
                     * Format: int64
                     * @description The time of the verdict: `asOf`. In Unix seconds.
                     * @example 1795172625
                     */
                    issuedAt: number;
                    /**
                     * Format: int64
                     * @description The last second in which a contract may accept the verdict: at most ten minutes after `issuedAt` and after `coveredUntil`, and never after the expiry. In Unix seconds.
                     * @example 1795173213
                     */
                    notAfter: number;
                };
                /**
                 * @description r, s and v of the signature by a key of `GET /verdict-keys`.
                 * @example 0x5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b5b1b
                 */
                signature: string;
            };
            /** @description With `signed=1`: why there is no signature. */
            notSigned?: {
                /**
                 * @description The reason. Currently one of `not_on_chain`, `frozen`, `revoked`, `expired`, `pending`, `not_in_force`, `not_covered`. Later releases may add values.
                 * @example not_on_chain
                 */
                code: "not_on_chain" | "frozen" | "revoked" | "expired" | "pending" | "not_in_force" | "not_covered" | (string & {});
                /**
                 * @description The reason, for people.
                 * @example The wallet has no pass on chain.
                 */
                detail: string;
            };
        };
        /** @description Why the transaction of a change is not sent yet. Only in the response to GET of a pass, and to a request that has waited with `Prefer`. Absent if nothing waits, in the first seconds of a change, and while the reason is not known. */
        WaitsFor: {
            /**
             * @description The reason, for programs. Currently one of `no_funds`, `network_away`, `network_fees`, `daily_limit`, `not_authorized`, `suspended`, `not_final`, `too_many_tokens`, `queue`, `paused`. Later releases may add values.
             * @example no_funds
             */
            code: "no_funds" | "network_away" | "network_fees" | "daily_limit" | "not_authorized" | "suspended" | "not_final" | "too_many_tokens" | "queue" | "paused" | (string & {});
            /**
             * @description The reason, for people. It may change with a release.
             * @example The operator's account needs funds.
             */
            detail: string;
            /**
             * Format: int32
             * @description Only with `queue`: the number of changes of the gatekeeper network before it. The maximum means as many or more.
             * @example 12
             */
            before?: number;
        };
        /**
         * @description A wallet address. On Ethereum-type networks: `0x` and 40 hex digits, not all zero; mixed case needs a valid EIP-55 checksum. On Solana: base58 of 32 bytes.
         * @example 0x52908400098527886E0F7030069857D2E4169EE7
         * @example 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV
         */
        Wallet: string;
        /** @description A webhook of your gatekeeper network. */
        Webhook: {
            /**
             * Format: uuid
             * @description The id of the webhook: a UUIDv7.
             * @example 01a1f8a1-3b7e-7c41-9d52-6e0a8f4b2c17
             */
            id: string;
            /**
             * Format: uri
             * @description The URL that gets the deliveries.
             * @example https://hooks.partner.example/gatepass
             */
            url: string;
            /** @description The types of events that the webhook delivers. Absent: all types. */
            types?: ("pass.issued" | "pass.renewed" | "pass.frozen" | "pass.unfrozen" | "pass.revoked" | "pass.expiry_changed" | "pass.rejected" | "pass.change_failed" | "pass.reorged" | "pass.expiring" | "pass.expired" | "feed.restored" | "pass.reference_changed" | "pass.subject_changed" | "feed.events_deleted" | (string & {}))[];
            /**
             * @description Your description of the webhook.
             * @example Production
             */
            description?: string;
            /**
             * @description Whether the webhook delivers events. Currently one of `enabled`, `disabled`. Later releases may add values.
             * @example enabled
             */
            status: "enabled" | "disabled" | (string & {});
            /**
             * @description Only if disabled. `gone`: the URL answered 410. `no_success`: no delivery succeeded for five days. `operator` and `partner`: disabled by request. Only the operator ends `operator`. Currently one of `gone`, `no_success`, `operator`, `partner`. Later releases may add values.
             * @example gone
             */
            disabledReason?: "gone" | "no_success" | "operator" | "partner" | (string & {});
            /**
             * Format: date-time
             * @description When the webhook was created. In ISO 8601 and UTC.
             * @example 2026-11-20T11:03:45.000Z
             */
            createdAt: string;
            /**
             * Format: date-time
             * @description When a delivery last succeeded. In ISO 8601 and UTC.
             * @example 2026-11-20T11:03:45.000Z
             */
            lastSuccessAt?: string;
            /**
             * Format: date-time
             * @description When the first delivery failed after the last success. Absent: the last one succeeded, or no event waits. In ISO 8601 and UTC.
             * @example 2026-11-20T11:03:45.000Z
             */
            failingSince?: string;
            /**
             * Format: int64
             * @description The position in the feed. Each event up to this sequence is delivered, given up, or waits for a retry.
             * @example 48212
             */
            cursor: number;
            /**
             * Format: int64
             * @description The number of events that wait for a retry, or behind an earlier event of their pass.
             * @example 0
             */
            waiting: number;
        };
        /** @description The fields to change. A missing field keeps its value. */
        WebhookChangeRequest: {
            /**
             * Format: uri
             * @description A URL with `https:`, port 443 and a public host name. Not an address, a local name, or a host of this service.
             * @example https://hooks.partner.example/gatepass
             */
            url?: string;
            /**
             * @description Only events of these types, and `feed.restored` and `feed.events_deleted`. `null`: all types.
             * @example [
             *       "pass.issued",
             *       "pass.revoked"
             *     ]
             */
            types?: ("pass.issued" | "pass.renewed" | "pass.frozen" | "pass.unfrozen" | "pass.revoked" | "pass.expiry_changed" | "pass.rejected" | "pass.change_failed" | "pass.reorged" | "pass.expiring" | "pass.expired" | "feed.restored" | "pass.reference_changed" | "pass.subject_changed")[] | null;
            /**
             * @description Your description of the webhook.
             * @example Production
             */
            description?: string;
            /**
             * @description `disabled` stops the deliveries. `enabled` continues them after `cursor`.
             * @example enabled
             * @enum {string}
             */
            status?: "enabled" | "disabled";
        };
        /**
         * Format: uuid
         * @description The id of a webhook.
         * @example 01a1f8a1-3b7e-7c41-9d52-6e0a8f4b2c17
         */
        WebhookId: string;
        /** @description The URL of the webhook and the events that it delivers. */
        WebhookRequest: {
            /**
             * Format: uri
             * @description A URL with `https:`, port 443 and a public host name. Not an address, a local name, or a host of this service.
             * @example https://hooks.partner.example/gatepass
             */
            url: string;
            /**
             * @description Only events of these types, and `feed.restored` and `feed.events_deleted`. If absent, all types.
             * @example [
             *       "pass.issued",
             *       "pass.revoked"
             *     ]
             */
            types?: ("pass.issued" | "pass.renewed" | "pass.frozen" | "pass.unfrozen" | "pass.revoked" | "pass.expiry_changed" | "pass.rejected" | "pass.change_failed" | "pass.reorged" | "pass.expiring" | "pass.expired" | "feed.restored" | "pass.reference_changed" | "pass.subject_changed")[];
            /**
             * @description Your description of the webhook.
             * @example Production
             */
            description?: string;
        };
        /** @description All webhooks of your gatekeeper network. */
        Webhooks: {
            /** @description The webhooks, oldest first. */
            webhooks: components["schemas"]["Webhook"][];
        };
    };
    responses: {
        /**
         * @description `invalid_json`: The body is not valid JSON. Send one JSON value in UTF-8.
         *
         *     `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists.
         */
        InvalidBody: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description `token_missing`: The request has no access token. Send "Authorization: Bearer \<access token>".
         *
         *     `token_invalid`: The access token is not valid. Fetch a new one.
         */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope.
         *
         *     `client_unknown`: The token's client is not registered as a partner. Ask the operator to register it.
         *
         *     `partner_suspended`: The operator has suspended this partner. Ask the operator for the reason.
         */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `body_timeout`: The body did not arrive within 10 seconds. Send the request again. */
        BodyTimeout: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `body_too_large`: The body is larger than 16 KiB, or 320 KiB if it has items. Send a smaller one. */
        BodyTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `unsupported_media_type`: The body is not declared as JSON. Send it with "Content-Type: application/json". */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `rate_limited`: Too many requests within a few seconds. Try again after the time in Retry-After. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `internal_error`: The service failed and recorded the error. Try again; if it fails again, send the request id to the operator. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description `temporarily_unavailable`: A part of the service does not answer. Try again after the time in Retry-After.
         *
         *     `not_configured`: The configuration of the service is missing or wrong. Tell the operator: the health check names the variables.
         */
        Unavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description The newest bookmark that you have. The response is at least as new as the one that carried it. An invalid bookmark is ignored, and the primary database answers. */
        "Gatepass-Bookmark": string;
        /** @description `wait=N` (RFC 7240): the response comes once the pass is settled, or after N seconds with the pass as it is then. N counts as at most 20. Without this header, the response comes at once. */
        Prefer: string;
        /** @description The `ETag` of the record that you have (RFC 9110). The response is 304 without a body while the record is the same. */
        "If-None-Match": string;
    };
    requestBodies: never;
    headers: {
        /** @description The id of the request in the log of the service. Send it to the operator when you ask for help. */
        "X-Request-Id": string;
        /** @description Confirms `Prefer: wait` and its maximum in seconds (RFC 7240). Absent if the service did not wait. */
        "Preference-Applied": string;
        /** @description The end of the network (RFC 8594): from then on, new passes there are refused. Absent if no end is announced. */
        Sunset: string;
        /** @description The problem with the access token (RFC 6750), and on 401 the URL that describes accepted tokens (RFC 9728). */
        "WWW-Authenticate": string;
        /** @description The number of seconds to wait before the next try. */
        "Retry-After": number;
        /** @description An opaque bookmark. Send the newest one with the next GET or search: that response is then at least as new as this one. */
        "Gatepass-Bookmark": string;
        /** @description The tag of this version of the record (RFC 9110). Send it as `If-None-Match` to get a body only if the record has changed. */
        ETag: string;
        /** @description How long caches may keep the response (RFC 9111). */
        "Cache-Control": string;
        /** @description The number of seconds since the service read this (RFC 9111). */
        Age: number;
        /** @description The URL to open next (RFC 9110). */
        Location: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getHealth: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The service runs, and its configuration is valid. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "checks": [
                     *         "configuration"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getReadiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All of them answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ready",
                     *       "checks": [
                     *         "databases",
                     *         "issuerKeys",
                     *         "signer"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getProtectedResource: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metadata. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "resource": "https://passes.example.org",
                     *       "resource_name": "Gatepass",
                     *       "authorization_servers": [
                     *         "https://login.example.org/"
                     *       ],
                     *       "scopes_supported": [
                     *         "search:pass"
                     *       ],
                     *       "bearer_methods_supported": [
                     *         "header"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ProtectedResource"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    searchPasses: {
        parameters: {
            query?: never;
            header?: {
                /** @description The newest bookmark that you have. The response is at least as new as the one that carried it. An invalid bookmark is ignored, and the primary database answers. */
                "Gatepass-Bookmark"?: components["parameters"]["Gatepass-Bookmark"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SearchRequest"];
            };
        };
        responses: {
            /** @description A page of passes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundPasses"];
                };
            };
            /**
             * @description `invalid_json`: The body is not valid JSON. Send one JSON value in UTF-8.
             *
             *     `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists.
             *
             *     `unknown_network`: The chain or the network is unknown. Use a name that the API reference lists.
             *
             *     `invalid_wallet`: The wallet address is malformed. Send it in the form that "errors" describes.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    issuePass: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` (RFC 7240): the response comes once the pass is settled, or after N seconds with the pass as it is then. N counts as at most 20. Without this header, the response comes at once. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description The type of the chain.
                 * @example ethereum
                 */
                chain: components["schemas"]["ChainName"];
                /**
                 * @description The network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.
                 * @example sepolia
                 */
                chainNetwork: components["schemas"]["NetworkName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssueRequest"];
            };
        };
        responses: {
            /** @description The record of the pass. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PassRecord"];
                };
            };
            /**
             * @description `invalid_json`: The body is not valid JSON. Send one JSON value in UTF-8.
             *
             *     `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists.
             *
             *     `unknown_network`: The chain or the network is unknown. Use a name that the API reference lists.
             *
             *     `invalid_wallet`: The wallet address is malformed. Send it in the form that "errors" describes.
             *
             *     `network_not_enabled`: The network is not enabled in this service. Use another one, or ask the operator to enable it.
             *
             *     `network_ended`: The network has ended, so nothing new reaches its chain. Use another network. You can still read, freeze and revoke its passes.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope.
             *
             *     `client_unknown`: The token's client is not registered as a partner. Ask the operator to register it.
             *
             *     `partner_suspended`: The operator has suspended this partner. Ask the operator for the reason.
             *
             *     `network_not_allowed`: This partner may not issue passes on the network. Use another one, or ask the operator to allow it.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["BodyTimeout"];
            /**
             * @description `pass_frozen`: This wallet's pass is frozen. Unfreeze it with PATCH.
             *
             *     `pass_revoked`: The pass is revoked and cannot be issued again or changed. A partner's revocation is final.
             *
             *     `pass_expired`: The pass has expired, and passes of this partner have no default lifetime. Send a new expiryTimestamp with POST or PATCH.
             *
             *     `expiry_differs`: The pass was requested with another expiry or without one, and it has not expired. Change its expiry with PATCH.
             *
             *     `reference_differs`: The pass has another reference or none. Change it with PATCH, or send none.
             *
             *     `subject_differs`: The pass has another subject or none. Change it with PATCH: remove the old one first.
             *
             *     `subject_required`: A rule of the gatekeeper network requires a subject: an issuance must name one, and a pass keeps its own.
             *
             *     `subject_limit_reached`: A rule allows no further pass of the subject. Revoke one of its passes first.
             *
             *     `subject_frozen`: The subject of the pass is frozen. Unfreeze it with PATCH /subjects/{subject}.
             *
             *     `subject_revoked`: The subject of the pass is revoked, which is final.
             *
             *     `issued_by_another_gatekeeper`: On this chain, only the key that issued the pass can make this change, and this service cannot sign with it. You can still revoke the pass.
             *
             *     `sandbox_full`: The sandbox has 10,000 passes. It deletes each one 30 days after its issuance. Existing passes still work.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `rate_limited`: Too many requests within a few seconds. Try again after the time in Retry-After.
             *
             *     `quota_reached`: The partner has used its quota of issuances for today. Try again after midnight UTC.
             *
             *     `change_quota_reached`: The partner has used its quota of changes for today. Try again after midnight UTC. You can still revoke passes.
             *
             *     `room_quota_reached`: Your gatekeeper network has stored as many changes without a transaction as it may today. Try again after midnight UTC. You can still freeze and revoke passes.
             *
             *     `pass_change_limit_reached`: The pass has reached its limit of changes for today. Try again after midnight UTC. You can still revoke it.
             *
             *     `waiting_limit_reached`: Too many changes of the partner wait on this network. Try again after the time in Retry-After. You can still freeze and revoke passes.
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPass: {
        parameters: {
            query?: never;
            header?: {
                /** @description The newest bookmark that you have. The response is at least as new as the one that carried it. An invalid bookmark is ignored, and the primary database answers. */
                "Gatepass-Bookmark"?: components["parameters"]["Gatepass-Bookmark"];
                /** @description `wait=N` (RFC 7240): the response comes once the pass is settled, or after N seconds with the pass as it is then. N counts as at most 20. Without this header, the response comes at once. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The `ETag` of the record that you have (RFC 9110). The response is 304 without a body while the record is the same. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description The type of the chain.
                 * @example ethereum
                 */
                chain: components["schemas"]["ChainName"];
                /**
                 * @description The network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.
                 * @example sepolia
                 */
                chainNetwork: components["schemas"]["NetworkName"];
                /**
                 * @description A wallet address. On Ethereum-type networks: `0x` and 40 hex digits, not all zero; mixed case needs a valid EIP-55 checksum. On Solana: base58 of 32 bytes.
                 * @example 0x52908400098527886E0F7030069857D2E4169EE7
                 */
                wallet: components["schemas"]["Wallet"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record of the pass. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    ETag: components["headers"]["ETag"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PassRecord"];
                };
            };
            /** @description The pass still matches `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    ETag: components["headers"]["ETag"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `unknown_network`: The chain or the network is unknown. Use a name that the API reference lists.
             *
             *     `invalid_wallet`: The wallet address is malformed. Send it in the form that "errors" describes.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `pass_not_found`: The wallet has no pass on this network. Issue one with POST. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokePass: {
        parameters: {
            query?: {
                /** @description Why, for the audit trail: at most 200 characters. No dApp sees it. */
                reason?: string;
            };
            header?: {
                /** @description `wait=N` (RFC 7240): the response comes once the pass is settled, or after N seconds with the pass as it is then. N counts as at most 20. Without this header, the response comes at once. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description The type of the chain.
                 * @example ethereum
                 */
                chain: components["schemas"]["ChainName"];
                /**
                 * @description The network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.
                 * @example sepolia
                 */
                chainNetwork: components["schemas"]["NetworkName"];
                /**
                 * @description A wallet address. On Ethereum-type networks: `0x` and 40 hex digits, not all zero; mixed case needs a valid EIP-55 checksum. On Solana: base58 of 32 bytes.
                 * @example 0x52908400098527886E0F7030069857D2E4169EE7
                 */
                wallet: components["schemas"]["Wallet"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record of the pass. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PassRecord"];
                };
            };
            /**
             * @description `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists.
             *
             *     `unknown_network`: The chain or the network is unknown. Use a name that the API reference lists.
             *
             *     `invalid_wallet`: The wallet address is malformed. Send it in the form that "errors" describes.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `pass_not_found`: The wallet has no pass on this network. Issue one with POST. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `pass_rejected`: The issuance failed, so there is no token to change. The last event gives the reason. POST tries the issuance again. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updatePass: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` (RFC 7240): the response comes once the pass is settled, or after N seconds with the pass as it is then. N counts as at most 20. Without this header, the response comes at once. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description The type of the chain.
                 * @example ethereum
                 */
                chain: components["schemas"]["ChainName"];
                /**
                 * @description The network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.
                 * @example sepolia
                 */
                chainNetwork: components["schemas"]["NetworkName"];
                /**
                 * @description A wallet address. On Ethereum-type networks: `0x` and 40 hex digits, not all zero; mixed case needs a valid EIP-55 checksum. On Solana: base58 of 32 bytes.
                 * @example 0x52908400098527886E0F7030069857D2E4169EE7
                 */
                wallet: components["schemas"]["Wallet"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateRequest"];
            };
        };
        responses: {
            /** @description The record of the pass with `status`. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatedPass"];
                };
            };
            /**
             * @description `invalid_json`: The body is not valid JSON. Send one JSON value in UTF-8.
             *
             *     `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists.
             *
             *     `unknown_network`: The chain or the network is unknown. Use a name that the API reference lists.
             *
             *     `invalid_wallet`: The wallet address is malformed. Send it in the form that "errors" describes.
             *
             *     `network_ended`: The network has ended, so nothing new reaches its chain. Use another network. You can still read, freeze and revoke its passes.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `pass_not_found`: The wallet has no pass on this network. Issue one with POST. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["BodyTimeout"];
            /**
             * @description `pass_revoked`: The pass is revoked and cannot be issued again or changed. A partner's revocation is final.
             *
             *     `pass_rejected`: The issuance failed, so there is no token to change. The last event gives the reason. POST tries the issuance again.
             *
             *     `subject_differs`: The pass has another subject or none. Change it with PATCH: remove the old one first.
             *
             *     `subject_required`: A rule of the gatekeeper network requires a subject: an issuance must name one, and a pass keeps its own.
             *
             *     `subject_limit_reached`: A rule allows no further pass of the subject. Revoke one of its passes first.
             *
             *     `subject_frozen`: The subject of the pass is frozen. Unfreeze it with PATCH /subjects/{subject}.
             *
             *     `subject_revoked`: The subject of the pass is revoked, which is final.
             *
             *     `issued_by_another_gatekeeper`: On this chain, only the key that issued the pass can make this change, and this service cannot sign with it. You can still revoke the pass.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `rate_limited`: Too many requests within a few seconds. Try again after the time in Retry-After.
             *
             *     `change_quota_reached`: The partner has used its quota of changes for today. Try again after midnight UTC. You can still revoke passes.
             *
             *     `room_quota_reached`: Your gatekeeper network has stored as many changes without a transaction as it may today. Try again after midnight UTC. You can still freeze and revoke passes.
             *
             *     `pass_change_limit_reached`: The pass has reached its limit of changes for today. Try again after midnight UTC. You can still revoke it.
             *
             *     `waiting_limit_reached`: Too many changes of the partner wait on this network. Try again after the time in Retry-After. You can still freeze and revoke passes.
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    syncPass: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The type of the chain.
                 * @example ethereum
                 */
                chain: components["schemas"]["ChainName"];
                /**
                 * @description The network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.
                 * @example sepolia
                 */
                chainNetwork: components["schemas"]["NetworkName"];
                /**
                 * @description A wallet address. On Ethereum-type networks: `0x` and 40 hex digits, not all zero; mixed case needs a valid EIP-55 checksum. On Solana: base58 of 32 bytes.
                 * @example 0x52908400098527886E0F7030069857D2E4169EE7
                 */
                wallet: components["schemas"]["Wallet"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The record of the pass after the reading. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PassRecord"];
                };
            };
            /**
             * @description `unknown_network`: The chain or the network is unknown. Use a name that the API reference lists.
             *
             *     `invalid_wallet`: The wallet address is malformed. Send it in the form that "errors" describes.
             *
             *     `network_not_enabled`: The network is not enabled in this service. Use another one, or ask the operator to enable it.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `pass_not_found`: The wallet has no pass on this network. Issue one with POST. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `rate_limited`: Too many requests within a few seconds. Try again after the time in Retry-After.
             *
             *     `sync_quota_reached`: Your gatekeeper network has read as many passes from the chain as it may today. Changes by others still show by themselves. Try again after midnight UTC.
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    issuePasses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["IssueManyRequest"];
            };
        };
        responses: {
            /** @description The results, in the order of the items. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemResults"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updatePasses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateManyRequest"];
            };
        };
        responses: {
            /** @description The results, in the order of the items. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ItemResults"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description The last sequence that you have: the `next` of the previous response, or `newest` for the end of the feed. If absent, the feed starts with its oldest event. A page costs the same at any depth. */
                after?: string;
                /** @description The maximum number of events in the response. */
                limit?: number;
                /** @description Only events of these types, separated by commas, and the notice `feed.restored`. The service reads at most 1,000 events per request, so a page may be empty although `more` is true. */
                type?: ("pass.issued" | "pass.renewed" | "pass.frozen" | "pass.unfrozen" | "pass.revoked" | "pass.expiry_changed" | "pass.rejected" | "pass.change_failed" | "pass.reorged" | "pass.expiring" | "pass.expired" | "feed.restored" | "pass.reference_changed" | "pass.subject_changed")[];
            };
            header?: {
                /** @description The newest bookmark that you have. The response is at least as new as the one that carried it. An invalid bookmark is ignored, and the primary database answers. */
                "Gatepass-Bookmark"?: components["parameters"]["Gatepass-Bookmark"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of events. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedPage"];
                };
            };
            /** @description `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `cursor_expired`: The feed no longer has the events after this cursor. Continue after the sequence before "oldest", and read the passes again. */
            410: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getUsage: {
        parameters: {
            query?: {
                /** @description The month (UTC). If absent, the current one. */
                month?: string;
                /** @description `true` counts the subjects too. */
                subjects?: "true" | "false";
            };
            header?: {
                /** @description The newest bookmark that you have. The response is at least as new as the one that carried it. An invalid bookmark is ignored, and the primary database answers. */
                "Gatepass-Bookmark"?: components["parameters"]["Gatepass-Bookmark"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The usage of the month. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "month": "2026-11",
                     *       "networks": [
                     *         {
                     *           "chain": {
                     *             "type": "ethereum",
                     *             "network": "sepolia"
                     *           },
                     *           "issued": 1204,
                     *           "renewed": 87,
                     *           "revoked": 12,
                     *           "active": 20391
                     *         }
                     *       ],
                     *       "subjects": {
                     *         "count": 8107,
                     *         "passes": 12240
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Usage"];
                };
            };
            /** @description `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    verifyPass: {
        parameters: {
            query?: {
                /** @description The greatest number of seconds between `coveredUntil` and now that you accept. If the service has not followed the chain that far, the response is 503 `not_fresh_enough`. If absent, any number is accepted. 90 suits the default interval of every network. */
                maxAge?: number;
                /** @description `1` asks for a signature too, for a contract. It needs `chainId` and `verifyingContract`, and a pass on an Ethereum-type network. Then no cache keeps the response. */
                signed?: "1";
                /** @description The number of the chain (chain id) of the asking contract. It needs no passes. */
                chainId?: number;
                /** @description The address of the asking contract. An address in mixed case needs a valid EIP-55 checksum. */
                verifyingContract?: string;
            };
            header?: never;
            path: {
                /**
                 * @description A gatekeeper network: base58 of 32 bytes.
                 * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
                 */
                gatekeeperNetwork: components["schemas"]["GatekeeperNetworkKey"];
                /**
                 * @description The type of the chain.
                 * @example ethereum
                 */
                chain: components["schemas"]["ChainName"];
                /**
                 * @description The network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.
                 * @example sepolia
                 */
                chainNetwork: components["schemas"]["NetworkName"];
                /**
                 * @description A wallet address. On Ethereum-type networks: `0x` and 40 hex digits, not all zero; mixed case needs a valid EIP-55 checksum. On Solana: base58 of 32 bytes.
                 * @example 0x52908400098527886E0F7030069857D2E4169EE7
                 */
                wallet: components["schemas"]["Wallet"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the pass is valid. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    Age: components["headers"]["Age"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Verification"];
                };
            };
            /**
             * @description `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists.
             *
             *     `unknown_network`: The chain or the network is unknown. Use a name that the API reference lists.
             *
             *     `invalid_wallet`: The wallet address is malformed. Send it in the form that "errors" describes.
             *
             *     `verdicts_not_enabled`: The service has no key that signs verdicts. Ask without a signature, or ask the operator for a key.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: No operation has this path. Check the path and the base URL. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            /**
             * @description `temporarily_unavailable`: A part of the service does not answer. Try again after the time in Retry-After.
             *
             *     `not_configured`: The configuration of the service is missing or wrong. Tell the operator: the health check names the variables.
             *
             *     `not_fresh_enough`: The service has not followed the chain up to the time that maxAge demands. Try again after the time in Retry-After.
             */
            503: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
        };
    };
    listVerdictKeys: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The keys. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Cache-Control": components["headers"]["Cache-Control"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "keys": [
                     *         {
                     *           "address": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
                     *           "from": 1795172625,
                     *           "until": 1798000000
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["VerdictKeys"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getSubject: {
        parameters: {
            query?: {
                /** @description Continues the list of passes: the `next` of the previous response. */
                after?: string;
                /** @description The maximum number of passes in the response. */
                limit?: number;
            };
            header?: {
                /** @description The newest bookmark that you have. The response is at least as new as the one that carried it. An invalid bookmark is ignored, and the primary database answers. */
                "Gatepass-Bookmark"?: components["parameters"]["Gatepass-Bookmark"];
            };
            path: {
                /**
                 * @description Your own name for the person who has the wallet, the same for all wallets of the person: 1 to 64 visible ASCII characters, except `.` and `..`. Make it random, or compute it with a secret key. Never use personal data.
                 * @example p-7f3c9a51e2
                 */
                subject: components["schemas"]["SubjectName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The subject. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Subject"];
                };
            };
            /** @description `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `subject_not_found`: No pass of the gatekeeper network has this subject. Name it when you issue a pass, or with PATCH. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokeSubject: {
        parameters: {
            query?: {
                /** @description Why, for the audit trail: at most 200 characters. No dApp sees it. */
                reason?: string;
            };
            header?: never;
            path: {
                /**
                 * @description Your own name for the person who has the wallet, the same for all wallets of the person: 1 to 64 visible ASCII characters, except `.` and `..`. Make it random, or compute it with a secret key. Never use personal data.
                 * @example p-7f3c9a51e2
                 */
                subject: components["schemas"]["SubjectName"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The revocation is accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedSubject"];
                };
            };
            /** @description `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `subject_not_found`: No pass of the gatekeeper network has this subject. Name it when you issue a pass, or with PATCH. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `rate_limited`: Too many requests within a few seconds. Try again after the time in Retry-After.
             *
             *     `room_quota_reached`: Your gatekeeper network has stored as many changes without a transaction as it may today. Try again after midnight UTC. You can still freeze and revoke passes.
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateSubject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Your own name for the person who has the wallet, the same for all wallets of the person: 1 to 64 visible ASCII characters, except `.` and `..`. Make it random, or compute it with a secret key. Never use personal data.
                 * @example p-7f3c9a51e2
                 */
                subject: components["schemas"]["SubjectName"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SubjectChangeRequest"];
            };
        };
        responses: {
            /** @description The change is accepted. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ChangedSubject"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `subject_not_found`: No pass of the gatekeeper network has this subject. Name it when you issue a pass, or with PATCH. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["BodyTimeout"];
            /** @description `subject_revoked`: The subject of the pass is revoked, which is final. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `rate_limited`: Too many requests within a few seconds. Try again after the time in Retry-After.
             *
             *     `room_quota_reached`: Your gatekeeper network has stored as many changes without a transaction as it may today. Try again after midnight UTC. You can still freeze and revoke passes.
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getRules: {
        parameters: {
            query?: never;
            header?: {
                /** @description The newest bookmark that you have. The response is at least as new as the one that carried it. An invalid bookmark is ignored, and the primary database answers. */
                "Gatepass-Bookmark"?: components["parameters"]["Gatepass-Bookmark"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The rules. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rules"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeRules: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RulesRequest"];
            };
        };
        responses: {
            /** @description All rules after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rules"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `rate_limited`: Too many requests within a few seconds. Try again after the time in Retry-After.
             *
             *     `room_quota_reached`: Your gatekeeper network has stored as many changes without a transaction as it may today. Try again after midnight UTC. You can still freeze and revoke passes.
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWebhooks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhooks, oldest first. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhooks"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    createWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookRequest"];
            };
        };
        responses: {
            /** @description The webhook with its secret. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedWebhook"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            408: components["responses"]["BodyTimeout"];
            /**
             * @description `webhook_limit_reached`: The gatekeeper network has five webhooks. Delete one with DELETE /webhooks/{id}.
             *
             *     `webhook_disabled_by_operator`: The operator has disabled this webhook, or another one with the same host. Ask the operator for the reason: only the operator enables it again.
             */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `rate_limited`: Too many requests within a few seconds. Try again after the time in Retry-After.
             *
             *     `room_quota_reached`: Your gatekeeper network has stored as many changes without a transaction as it may today. Try again after midnight UTC. You can still freeze and revoke passes.
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook.
                 * @example 01a1f8a1-3b7e-7c41-9d52-6e0a8f4b2c17
                 */
                webhook: components["schemas"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            /** @description `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `webhook_not_found`: The gatekeeper network has no webhook with this id. GET /webhooks lists its webhooks. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deleteWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook.
                 * @example 01a1f8a1-3b7e-7c41-9d52-6e0a8f4b2c17
                 */
                webhook: components["schemas"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The webhook is deleted. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `webhook_not_found`: The gatekeeper network has no webhook with this id. GET /webhooks lists its webhooks. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `webhook_disabled_by_operator`: The operator has disabled this webhook, or another one with the same host. Ask the operator for the reason: only the operator enables it again. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `rate_limited`: Too many requests within a few seconds. Try again after the time in Retry-After.
             *
             *     `room_quota_reached`: Your gatekeeper network has stored as many changes without a transaction as it may today. Try again after midnight UTC. You can still freeze and revoke passes.
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    updateWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook.
                 * @example 01a1f8a1-3b7e-7c41-9d52-6e0a8f4b2c17
                 */
                webhook: components["schemas"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WebhookChangeRequest"];
            };
        };
        responses: {
            /** @description The webhook after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `webhook_not_found`: The gatekeeper network has no webhook with this id. GET /webhooks lists its webhooks. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["BodyTimeout"];
            /** @description `webhook_disabled_by_operator`: The operator has disabled this webhook, or another one with the same host. Ask the operator for the reason: only the operator enables it again. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `rate_limited`: Too many requests within a few seconds. Try again after the time in Retry-After.
             *
             *     `room_quota_reached`: Your gatekeeper network has stored as many changes without a transaction as it may today. Try again after midnight UTC. You can still freeze and revoke passes.
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    testWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook.
                 * @example 01a1f8a1-3b7e-7c41-9d52-6e0a8f4b2c17
                 */
                webhook: components["schemas"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The outcome of the delivery. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TestedWebhook"];
                };
            };
            /** @description `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `webhook_not_found`: The gatekeeper network has no webhook with this id. GET /webhooks lists its webhooks. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook.
                 * @example 01a1f8a1-3b7e-7c41-9d52-6e0a8f4b2c17
                 */
                webhook: components["schemas"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The new secret. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RotatedSecret"];
                };
            };
            /** @description `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `webhook_not_found`: The gatekeeper network has no webhook with this id. GET /webhooks lists its webhooks. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `rate_limited`: Too many requests within a few seconds. Try again after the time in Retry-After.
             *
             *     `room_quota_reached`: Your gatekeeper network has stored as many changes without a transaction as it may today. Try again after midnight UTC. You can still freeze and revoke passes.
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    replayWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of a webhook.
                 * @example 01a1f8a1-3b7e-7c41-9d52-6e0a8f4b2c17
                 */
                webhook: components["schemas"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReplayRequest"];
            };
        };
        responses: {
            /** @description The webhook at its new position. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Webhook"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `webhook_not_found`: The gatekeeper network has no webhook with this id. GET /webhooks lists its webhooks. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["BodyTimeout"];
            /** @description `cursor_expired`: The feed no longer has the events after this cursor. Continue after the sequence before "oldest", and read the passes again. */
            410: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `rate_limited`: Too many requests within a few seconds. Try again after the time in Retry-After.
             *
             *     `room_quota_reached`: Your gatekeeper network has stored as many changes without a transaction as it may today. Try again after midnight UTC. You can still freeze and revoke passes.
             *
             *     `replay_quota_reached`: The webhooks of your gatekeeper network may replay fewer events today. Replay fewer, read them with GET /events, or try again after midnight UTC.
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description The number of the last delivery that you have: the `next` of the previous response. */
                after?: number;
                /** @description The maximum number of deliveries in the response. */
                limit?: number;
            };
            header?: never;
            path: {
                /**
                 * @description The id of a webhook.
                 * @example 01a1f8a1-3b7e-7c41-9d52-6e0a8f4b2c17
                 */
                webhook: components["schemas"]["WebhookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of deliveries. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deliveries"];
                };
            };
            /** @description `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists. */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `webhook_not_found`: The gatekeeper network has no webhook with this id. GET /webhooks lists its webhooks. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAudit: {
        parameters: {
            query?: {
                /** @description Only changes of this pass: its id, or its chain, network and wallet. */
                pass?: string;
                /** @description Only actions of this OAuth client. */
                client?: string;
                /** @description Only this action. */
                action?: string;
                /** @description Only changes since this time (UTC). */
                from?: string;
                /** @description Only changes up to this time (UTC). */
                to?: string;
                /** @description Whether the oldest or the newest entry is the first one. */
                order?: "oldest" | "newest";
                /** @description Continues the list after this sequence: the `next` of the previous response. */
                after?: number;
                /** @description The maximum number of entries in the response. */
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the trail. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
            /**
             * @description `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists.
             *
             *     `unknown_network`: The chain or the network is unknown. Use a name that the API reference lists.
             *
             *     `invalid_wallet`: The wallet address is malformed. Send it in the form that "errors" describes.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `pass_not_found`: The wallet has no pass on this network. Issue one with POST. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getClock: {
        parameters: {
            query?: never;
            header?: {
                /** @description The newest bookmark that you have. The response is at least as new as the one that carried it. An invalid bookmark is ignored, and the primary database answers. */
                "Gatepass-Bookmark"?: components["parameters"]["Gatepass-Bookmark"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clock. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "now": 1795258800
                     *     }
                     */
                    "application/json": components["schemas"]["SandboxClock"];
                };
            };
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `not_found`: No operation has this path. Check the path and the base URL. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    advanceClock: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ClockRequest"];
            };
        };
        responses: {
            /** @description The clock, advanced. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "now": 1795258800
                     *     }
                     */
                    "application/json": components["schemas"]["SandboxClock"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            /** @description `not_found`: No operation has this path. Check the path and the base URL. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["BodyTimeout"];
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    triggerEvent: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TriggerRequest"];
            };
        };
        responses: {
            /** @description The event follows. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "pass.rejected",
                     *       "pass": {
                     *         "chain": {
                     *           "type": "ethereum",
                     *           "network": "sepolia"
                     *         },
                     *         "walletAddress": "0x52908400098527886E0F7030069857D2E4169EE7"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TriggeredEvent"];
                };
            };
            /**
             * @description `invalid_json`: The body is not valid JSON. Send one JSON value in UTF-8.
             *
             *     `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists.
             *
             *     `unknown_network`: The chain or the network is unknown. Use a name that the API reference lists.
             *
             *     `network_ended`: The network has ended, so nothing new reaches its chain. Use another network. You can still read, freeze and revoke its passes.
             */
            400: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope.
             *
             *     `client_unknown`: The token's client is not registered as a partner. Ask the operator to register it.
             *
             *     `partner_suspended`: The operator has suspended this partner. Ask the operator for the reason.
             *
             *     `network_not_allowed`: This partner may not issue passes on the network. Use another one, or ask the operator to allow it.
             */
            403: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `not_found`: No operation has this path. Check the path and the base URL. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            408: components["responses"]["BodyTimeout"];
            /** @description `sandbox_full`: The sandbox has 10,000 passes. It deletes each one 30 days after its issuance. Existing passes still work. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            /**
             * @description `rate_limited`: Too many requests within a few seconds. Try again after the time in Retry-After.
             *
             *     `quota_reached`: The partner has used its quota of issuances for today. Try again after midnight UTC.
             *
             *     `room_quota_reached`: Your gatekeeper network has stored as many changes without a transaction as it may today. Try again after midnight UTC. You can still freeze and revoke passes.
             *
             *     `waiting_limit_reached`: Too many changes of the partner wait on this network. Try again after the time in Retry-After. You can still freeze and revoke passes.
             */
            429: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Retry-After": components["headers"]["Retry-After"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    deliverEvent: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The id of the event. It is the same in every delivery of the event.
                 * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c.1
                 */
                "webhook-id": string;
                /**
                 * @description The time of the delivery in Unix seconds. Refuse a delivery that is older than five minutes.
                 * @example 1795172630
                 */
                "webhook-timestamp": number;
                /**
                 * @description `v1,` and base64 of the HMAC-SHA256 of `id.timestamp.body`. For a day after a rotation, there are two signatures, separated by a space.
                 * @example v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=
                 */
                "webhook-signature": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FeedEvent"];
            };
        };
        responses: {
            /** @description You want no more events. The service disables the webhook. */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description You have the event. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
