/** Made from `openapi.json` by `npm run types -w @gatepass/client`: change nothing here. */

export interface paths {
    "/admin/signers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the signers of each enabled network
         * @description Reads the balance of each key, and the waiting and in-flight work of its signer. Brings each signer the lists of the last emergency.
         */
        get: operations["listSigners"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/watchers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the watcher of each enabled network
         * @description Shows how far each watcher has followed its chain, and what others did there. It waits for no node.
         */
        get: operations["listWatchers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the metrics of the service for Prometheus
         * @description OpenMetrics text, at most 15 seconds old. It never waits for a node: balances are at most five minutes old, and the first text after a pause has none. A signer that does not answer within 1.5 seconds is counted as missing.
         */
        get: operations["getMetrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/passes/{chain}/{chainNetwork}/{wallet}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Explain why the pass of a wallet is or is not ACTIVE
         * @description Asks the databases in which gatekeeper networks the wallet has a pass, then each pass object, its signer and a node. With `gatekeeperNetwork` it needs no database.
         */
        get: operations["lookUpPass"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/stuck": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List unsettled passes and the reason of each, oldest first
         * @description A pass is listed from the time its alarm finds it unsettled until it is settled.
         */
        get: operations["listStuckPasses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/redrive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Retry a pass, all stuck passes, or dead letters now
         * @description Retries up to 500 passes or messages at a time. A redrive never doubles a transaction.
         */
        post: operations["redrive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/abandon": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Abandon the waiting issuances of a network, or of one gatekeeper network on it
         * @description Ends up to 500 issuances, or up to 50 per signer if that is more. Repeat the request while `more` is true. The passes become `REJECTED` with the reason `abandoned`, and partners may request them again. The request leaves issuances that have signed bytes, and counts them in `signed`. Passes whose signer had no room submit their issuances within two minutes: repeat the request then.
         */
        post: operations["abandon"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/withdraw": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * End the unsigned steps of a client or a gatekeeper network, on all networks with RPC endpoints
         * @description Ends up to 500 steps, or up to 50 per signer if that is more. Repeat the request while `more` is true. Issuances, new expiries and unfreezes end with the reason `abandoned`. Revocations and freezes continue. A pass that is not on chain becomes `REJECTED`, and any other pass keeps what the chain holds. The request leaves steps for which a block may still include a transaction, and counts them in `signed`. A pass whose signer had no room submits its step within two minutes: repeat the request then. Suspend the client first, otherwise it requests the same again.
         */
        post: operations["withdraw"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/dead-letters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the messages that the queue gave up, newest first
         * @description No work is lost with a dead letter. The service keeps the newest 10,000.
         */
        get: operations["listDeadLetters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/revocations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Revoke the passes of a client or a gatekeeper network, a list of passes, or the tokens of wallets without a pass
         * @description Revokes up to 200 passes. Repeat the request with `after` while `next` is not `null`. The revocation is final, as a partner's own. A request may be sent twice: a pass that is revoked already is counted and left.
         */
        post: operations["revokePasses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the actions that wait for a second person
         * @description An approval ends after 24 hours. A confirmed one is listed until its action is done.
         */
        get: operations["listApprovals"];
        put?: never;
        /**
         * Confirm or reject an action as the second person
         * @description Only a person who signed in to the console may decide, and not the one who asked. After the confirmation, the same request with `approval` does the action, and no more than was asked for.
         */
        post: operations["decideApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/reconciliation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Show the result of the last reconciliation, and the progress of rebuilds
         * @description Each night the service compares the read model with the pass objects, and the pass objects with the chain. A rebuild brings a restored database back to the state of the pass objects.
         */
        get: operations["getReconciliation"];
        put?: never;
        /**
         * Accept that many passes of a gatekeeper network have lost their token on a network
         * @description If more than five passes, and more than 2 % of those compared, seem to have lost their token, a run changes nothing there. Check the contract address and the endpoints first. After the request, this run and the next one adopt as many losses as were counted.
         */
        post: operations["acceptReconciliation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/rebuild": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Bring a restored or emptied database back to the state of the pass objects
         * @description Writes the rows of up to 200 pass objects, if the passes belong to the shard. `npm run rebuild` lists all objects and sends them in slices. A slice may be sent twice, or at the same time as others: a newer row always stays.
         */
        post: operations["rebuild"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/moves": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the moves of gatekeeper networks to other databases
         * @description Shows the moves that have begun and not ended.
         */
        get: operations["listMoves"];
        put?: never;
        /**
         * Move a gatekeeper network to another database, or cancel its move
         * @description Begins or continues the move for about ten seconds. `npm run shard` repeats the request until the move is done. A request may be repeated, and may end at any moment. The passes and events of the gatekeeper network are not published meanwhile. Requests of partners are accepted.
         */
        post: operations["moveNetwork"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the webhooks of all gatekeeper networks with their lag
         * @description Ordered by gatekeeper network. `limit` counts gatekeeper networks, each of which has at most five webhooks. `lag` is the number of sequences from the position of the webhook to the newest event.
         */
        get: operations["listAllWebhooks"];
        put?: never;
        /**
         * Disable or enable a webhook
         * @description A disabled webhook delivers nothing until you enable it. Its partner can neither enable, test nor delete it, change its URL, nor give its host to another webhook or enable one with it. The feed keeps its events.
         */
        post: operations["disableWebhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count the passes of all partners in a month
         * @description Has the numbers of `GET /usage` for each gatekeeper network, with its partners. All numbers are there or none: if a database does not answer, the response is 503.
         */
        get: operations["listUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an audit trail
         * @description Returns the trail of the actions of the operator, or of a gatekeeper network. A page reads at most 2,000 entries to find those that match.
         */
        get: operations["listAllAudit"];
        put?: never;
        /**
         * Record a command of the operator in the audit trail
         * @description Commands that act on the chain or a database send this before they start.
         */
        post: operations["reportCommand"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/partners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the partners
         * @description Ordered by client id.
         */
        get: operations["listPartners"];
        put?: never;
        /**
         * Add a partner
         * @description Adds the gatekeeper network too if it is new. With `sandbox`, all its networks are simulated: it needs no key and no endpoint, and stays a sandbox. The rules of this deployment also apply: the shard must be bound, and the client must not be that of the console.
         */
        post: operations["addPartner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/partners/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export partners with their gatekeeper networks, as rows of the database
         * @description Each response is a slice that `POST /admin/partners/import` takes without its `next`, if it fits into a body. It also works while the database is closed for a restore.
         */
        get: operations["exportPartners"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/partners/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import exported partners
         * @description Adds partners and gatekeeper networks, and overwrites existing ones, all of the request or none. Other partners stay, except that one of them loses an organization that the rows give to another partner. It also works while the database is closed for a restore. The body may have 320 KiB.
         */
        post: operations["importPartners"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/admin/partners/{client}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Fetch a partner
         * @description Shows the settings that the database has.
         */
        get: operations["getPartner"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a partner, suspend it, or end its suspension
         * @description Every location follows a change within 60 seconds. The signers follow a suspension before the response; one that does not answer follows within a minute.
         */
        patch: operations["changePartner"];
        trace?: never;
    };
    "/admin/gatekeeper-networks/{gatekeeperNetwork}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Switch the public checks of a gatekeeper network
         * @description With public checks, anybody may ask `GET /verify` about its passes. At most 10,000 have them, and no sandbox.
         */
        patch: operations["switchPublicChecks"];
        trace?: never;
    };
    "/admin/gatekeeper-networks/{gatekeeperNetwork}/rules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change the rules of a gatekeeper network for subjects
         * @description Does the same as the partner with `PATCH /rules`. Every location follows within 60 seconds.
         */
        patch: operations["changeNetworkRules"];
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description The network whose waiting issuances to abandon. */
        AbandonRequest: {
            chain: components["schemas"]["ChainName"];
            network: components["schemas"]["NetworkName"];
            /**
             * @description Only issuances of this gatekeeper network. If absent, the issuances of all gatekeeper networks.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            gatekeeperNetwork?: string;
            /**
             * @description The id of the confirmed approval of this request. The other fields must be those of the request that asked for it.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            approval?: string;
            /**
             * @description The reason, for the audit trail: at most 200 characters.
             * @example case 4711
             */
            reason?: string;
        };
        /** @description The result of abandoning issuances. */
        Abandoned: {
            /**
             * Format: int64
             * @description The number of issuances that have ended: up to 500, or up to 50 per signer if that is more.
             * @example 500
             */
            abandoned: number;
            /**
             * Format: int64
             * @description The number of issuances that are left, because a block may still include a transaction for them.
             * @example 2
             */
            signed: number;
            /**
             * @description Whether more issuances wait. If so, send the request again.
             * @example true
             */
            more: boolean;
        };
        /** @description The losses to accept. */
        AcceptRequest: {
            /** @description The gatekeeper network and the network where passes lost their token. */
            accept: {
                /**
                 * @description The gatekeeper network: base58 of 32 bytes.
                 * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
                 */
                gatekeeperNetwork: string;
                network: components["schemas"]["NetworkName"];
            };
            /**
             * @description The id of the confirmed approval of this request. The other fields must be those of the request that asked for it.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            approval?: string;
            /**
             * @description The reason, for the audit trail: at most 200 characters.
             * @example case 4711
             */
            reason?: string;
        };
        /** @description The losses that this run and the next one adopt. */
        AcceptedAbsences: {
            /** @description The gatekeeper network and the network whose losses were accepted. */
            accepted: {
                /**
                 * @description A gatekeeper network: base58 of 32 bytes.
                 * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
                 */
                gatekeeperNetwork: string;
                /**
                 * @description The network of the chain. Currently one of `sepolia`, `mainnet-beta`, `devnet`, `mainnet`, `polygonAmoy`, `polygonMainnet`, `polygonZKEVM`, `polygonZKEVMTestnet`, `optimismSepolia`, `optimismMainnet`, `arbitrumSepolia`, `arbitrumMainnet`, `avalancheCChain`, `avalancheCChainFuji`, `xdcMainnet`, `xdcApothem`, `fantomMainnet`, `fantomTestnet`, `baseSepolia`, `baseMainnet`, `bscMainnet`, `bscTestnet`, `xlayerMainnet`, `xlayerTestnet`, `unichainMainnet`, `unichainSepolia`, `sonicMainnet`, `sonicTestnet`. Later releases may add values.
                 * @example sepolia
                 */
                network: "sepolia" | "mainnet-beta" | "devnet" | "mainnet" | "polygonAmoy" | "polygonMainnet" | "polygonZKEVM" | "polygonZKEVMTestnet" | "optimismSepolia" | "optimismMainnet" | "arbitrumSepolia" | "arbitrumMainnet" | "avalancheCChain" | "avalancheCChainFuji" | "xdcMainnet" | "xdcApothem" | "fantomMainnet" | "fantomTestnet" | "baseSepolia" | "baseMainnet" | "bscMainnet" | "bscTestnet" | "xlayerMainnet" | "xlayerTestnet" | "unichainMainnet" | "unichainSepolia" | "sonicMainnet" | "sonicTestnet" | (string & {});
            };
        };
        /** @description A page of all webhooks. */
        AllWebhooks: {
            /** @description The webhooks, ordered by gatekeeper network. */
            webhooks: components["schemas"]["OperatorWebhook"][];
            /**
             * @description The gatekeeper network after which the next page begins. Null: this is the last page.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            next: string | null;
            /** @description The databases that did not answer. Their webhooks are missing. */
            unreadShards?: string[];
        };
        /** @description An action that waits for a second person, or that one has confirmed. */
        Approval: {
            /**
             * @description The id of the approval.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            id: string;
            /**
             * @description The action, as the audit trail names it.
             * @example operator.revoke
             */
            action: string;
            /**
             * @description The body of the request that asked. Send it with `approval` once it is confirmed.
             * @example {
             *       "gatekeeperNetwork": "tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf",
             *       "reason": "stolen secret, ticket 4711"
             *     }
             */
            request: {
                [key: string]: unknown;
            };
            /**
             * Format: int64
             * @description The maximum number of items that are left to do.
             * @example 1200
             */
            count: number;
            /** @description The client or person that asked. */
            askedBy: {
                /**
                 * @description The OAuth client.
                 * @example console
                 */
                client: string;
                /**
                 * @description The person. Absent for a program.
                 * @example ada
                 */
                sub?: string;
            };
            /**
             * Format: int64
             * @description The time of the request. The action concerns nothing newer. In Unix seconds.
             * @example 1795172625
             */
            askedAt: number;
            /**
             * Format: int64
             * @description The time when the approval ends. In Unix seconds.
             * @example 1795172625
             */
            expiresAt: number;
            /** @description The person that confirmed. Absent while the approval waits. */
            confirmedBy?: {
                /**
                 * @description The OAuth client.
                 * @example console
                 */
                client: string;
                /**
                 * @description The person. Absent for a program.
                 * @example ada
                 */
                sub?: string;
            };
        };
        /** @description The decision: exactly one of `confirm` and `reject`. */
        ApprovalRequest: {
            /**
             * @description The id of the approval to confirm.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            confirm?: string;
            /**
             * @description The id of the approval to reject.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            reject?: string;
        };
        /** @description The approvals that wait or are confirmed. */
        Approvals: {
            /** @description The approvals, the oldest first. */
            approvals: components["schemas"]["Approval"][];
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
        /**
         * @description The id of the OAuth client, as its tokens show it.
         * @example stark
         */
        ClientId: string;
        /** @description A command that is about to act on the chain or a database. */
        CommandRequest: {
            /**
             * @description The name of the command.
             * @example restore
             */
            command: string;
            /**
             * @description The environment of the deployment.
             * @example production
             */
            environment: string;
            /**
             * @description The arguments, without secrets.
             * @example [
             *       "--shard",
             *       "DB_1"
             *     ]
             */
            arguments?: string[];
            /**
             * @description The reason, for the audit trail: at most 200 characters.
             * @example case 4711
             */
            reason?: string;
        };
        /** @description A message that the queue gave up. */
        DeadLetter: {
            /**
             * @description The id of the message.
             * @example 8f14e45fceea167a5a36dedd4bea2543
             */
            id: string;
            /**
             * Format: int64
             * @description The time when the queue gave up the message. In Unix seconds.
             * @example 1795172625
             */
            at: number;
            /**
             * @description The reason, for people.
             * @example its pass object could not be reached
             */
            reason: string;
            /**
             * @description The message as it was sent: any JSON. `null`: it was too large to keep, and cannot be sent again.
             * @example {
             *       "kind": "process-pass"
             *     }
             */
            body: unknown;
        };
        /** @description A page of the messages that the queue gave up. */
        DeadLetters: {
            /** @description The dead letters, newest first. */
            deadLetters: components["schemas"]["DeadLetter"][];
            /**
             * @description Send it as `after` of the next request to continue. `null`: this is the last page.
             * @example 1795172625:01a1f8a0-6cfb-7613-a30a-0ccef041f58c
             */
            next: string | null;
        };
        /** @description The approval, in the field of the decision. */
        Decided: {
            confirmed?: components["schemas"]["Approval"];
            rejected?: components["schemas"]["Approval"];
        };
        /** @description A pass, and why it is ACTIVE or not. */
        ExplainedPass: {
            /** @description The pass. `id` is absent if neither its object nor a database answers. */
            pass: {
                /**
                 * Format: uuid
                 * @description The id of the pass: a UUIDv7. Ids sort by the time of creation.
                 * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c
                 */
                id?: string;
                /**
                 * @description A gatekeeper network: base58 of 32 bytes.
                 * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
                 */
                gatekeeperNetwork: string;
                chain: components["schemas"]["Chain"];
                /**
                 * @description The wallet in its canonical form: an Ethereum address with its EIP-55 checksum, or on Solana base58 of 32 bytes.
                 * @example 0x52908400098527886E0F7030069857D2E4169EE7
                 * @example 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV
                 */
                walletAddress: string;
            };
            /**
             * @description Why the pass is ACTIVE or not. Currently one of `active`, `unpublished`, `loss-pending`, `gatekeeper-removed`, `frozen`, `expired`, `revoked`, `rejected`, `object-unreachable`, `object-lost`, `not-begun`, `signer-unanswered`, `not-added`, `no-room`, `turn`, `vanished`, `unsent`, `sent`, `confirmed`, `final`, `not-configured`, `key-compromised`, `no-funds`, `kms-wrong-answer`, `kms-denied`, `kms-throttled`, `kms-unanswered`, `nodes-unanswered`, `foreign-transactions`, `nonces-far-ahead`, `no-program`, `gas-price-too-high`, `l1-fee-too-high`, `unknown-contract-error`, `not-authorized`, `network-missing`, `no-gatekeeper-network`, `no-contract`, `held`, `effect-not-shown`, `client-suspended`, `contract-code-unknown`, `contract-code-unread`, `suspensions-unread`, `earlier-store`, `nonce-not-final`, `mint-not-final`, `earlier-step-not-final`, `issuance-in-flight`, `signing-forbidden`, `broadcast-refused`, `unknown-step-error`, `tokens-not-final`, `final-block-unanswered`, `state-behind`, `nodes-behind`, `not-simulated`, `out-of-gas`, `simulation-failed`, `token-changed`, `too-many-tokens`, `answer-unreadable`, `account-unreadable`, `endpoints-disagree`, `absence-not-final`, `absence-unconfirmed`, `lane-ceiling`, `lane-reserve`, `signer-ceiling`, `signer-reserve`. Later releases may add values.
             * @example no-funds
             */
            code: "active" | "unpublished" | "loss-pending" | "gatekeeper-removed" | "frozen" | "expired" | "revoked" | "rejected" | "object-unreachable" | "object-lost" | "not-begun" | "signer-unanswered" | "not-added" | "no-room" | "turn" | "vanished" | "unsent" | "sent" | "confirmed" | "final" | "not-configured" | "key-compromised" | "no-funds" | "kms-wrong-answer" | "kms-denied" | "kms-throttled" | "kms-unanswered" | "nodes-unanswered" | "foreign-transactions" | "nonces-far-ahead" | "no-program" | "gas-price-too-high" | "l1-fee-too-high" | "unknown-contract-error" | "not-authorized" | "network-missing" | "no-gatekeeper-network" | "no-contract" | "held" | "effect-not-shown" | "client-suspended" | "contract-code-unknown" | "contract-code-unread" | "suspensions-unread" | "earlier-store" | "nonce-not-final" | "mint-not-final" | "earlier-step-not-final" | "issuance-in-flight" | "signing-forbidden" | "broadcast-refused" | "unknown-step-error" | "tokens-not-final" | "final-block-unanswered" | "state-behind" | "nodes-behind" | "not-simulated" | "out-of-gas" | "simulation-failed" | "token-changed" | "too-many-tokens" | "answer-unreadable" | "account-unreadable" | "endpoints-disagree" | "absence-not-final" | "absence-unconfirmed" | "lane-ceiling" | "lane-reserve" | "signer-ceiling" | "signer-reserve" | (string & {});
            /**
             * @description The same as a sentence, for people.
             * @example the gatekeeper has no funds
             */
            reason: string;
            /**
             * @description The remedy, for people. The runbook has the same sentence.
             * @example Send funds to the address of the signer (runbook: A key has no funds).
             */
            remedy: string;
            record?: components["schemas"]["StoredRecord"];
            /**
             * @description Whether the database shows the newest version: partners read it there. `unread`: a database does not answer. Currently one of `current`, `behind`, `missing`, `unread`. Later releases may add values.
             * @example current
             */
            readModel: "current" | "behind" | "missing" | "unread" | (string & {});
            /** @description The step that the pass waits for. Absent if there is none. */
            step?: {
                /**
                 * @description The id of the step: the id of its pass, a colon and a number.
                 * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c:1
                 */
                id: string;
                /**
                 * @description The change to make on chain. Currently one of `issue`, `set-expiry`, `freeze`, `unfreeze`, `revoke`. Later releases may add values.
                 * @example issue
                 */
                kind: "issue" | "set-expiry" | "freeze" | "unfreeze" | "revoke" | (string & {});
            };
            /**
             * Format: int64
             * @description How often the alarm of the pass has run since something last changed.
             * @example 4
             */
            tries?: number;
            /**
             * @description The signer of the pass: chain, network and address.
             * @example ethereum/sepolia/0x70997970C51812dc3A010C7d01b50e0d17dc79C8
             */
            signerName?: string;
            /** @description The signer as `GET /admin/signers` shows it. `null`: it is not configured, or the pass object does not answer. */
            signer: components["schemas"]["Signer"] | null;
            /** @description The nodes of the network. `null`: the signer does not answer. */
            node: {
                /**
                 * @description Whether a node of the network answers.
                 * @example true
                 */
                answers: boolean;
                /**
                 * @description Why not, for people.
                 * @example the nodes do not answer
                 */
                why?: string;
            } | null;
        };
        /** @description The passes of a wallet on a network. */
        ExplainedPasses: {
            /** @description The passes of the wallet, one for each gatekeeper network. */
            passes: components["schemas"]["ExplainedPass"][];
            /** @description The databases that did not answer, so passes may be missing. Absent if all answered. */
            unreadShards?: string[];
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
        /**
         * @description A gatekeeper network: base58 of 32 bytes.
         * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
         */
        GatekeeperNetworkKey: string;
        /** @description A gatekeeper network as the database has it. */
        GatekeeperNetworkRow: {
            /**
             * @description A gatekeeper network: base58 of 32 bytes.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            key: string;
            /**
             * @description The binding of the database with its passes.
             * @example DB
             */
            shard: string;
            /**
             * Format: int32
             * @description The status of the public checks: 1 is on, 0 is off. They are always off for a sandbox.
             * @example 0
             */
            public_verify: number;
            /**
             * @description The chosen contracts by network, as JSON.
             * @example {}
             */
            contracts: string;
            /**
             * @description The rules for subjects, as JSON.
             * @example {}
             */
            rules: string;
        };
        /** @description The settings of a gatekeeper network. */
        GatekeeperNetworkSettings: {
            /**
             * @description A gatekeeper network: base58 of 32 bytes.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            gatekeeperNetwork: string;
            /**
             * @description Whether all its networks are simulated.
             * @example false
             */
            sandbox: boolean;
            /**
             * @description The binding of the database with its passes.
             * @example DB
             */
            shard: string;
            /**
             * @description The chosen contracts by Ethereum-type network.
             * @example {
             *       "sepolia": "0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E"
             *     }
             */
            contracts: {
                [key: string]: string;
            };
            rules: components["schemas"]["Rules"];
            /**
             * @description Whether anybody may check its passes.
             * @example false
             */
            publicVerify: boolean;
        };
        /** @description A move of a gatekeeper network to another database. */
        Move: {
            /**
             * @description A gatekeeper network: base58 of 32 bytes.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            gatekeeperNetwork: string;
            /**
             * @description The binding name of the database.
             * @example DB
             */
            from: string;
            /**
             * @description The binding name of the database.
             * @example DB_2
             */
            to: string;
            /**
             * @description The present work. `clear`, `copy` and `compare` make a copy; the gatekeeper network is still in its old database. `switch` names the new one, and `settle` waits until the whole service reads it. Then passes are published again, and `rest` deletes the old rows. `done`: the move has ended. `cancel` deletes the copies, and `canceled` is its end.
             * @example copy
             * @enum {string}
             */
            phase: "clear" | "copy" | "compare" | "switch" | "settle" | "rest" | "done" | "cancel" | "canceled";
            /**
             * Format: int64
             * @description The number of copied passes.
             * @example 48000
             */
            passes: number;
            /**
             * Format: int64
             * @description The number of copied events.
             * @example 0
             */
            events: number;
            /**
             * Format: int64
             * @description The time when the move began. In Unix seconds.
             * @example 1795172625
             */
            started: number;
            /**
             * Format: int64
             * @description The time of the last progress. In Unix seconds.
             * @example 1795172625
             */
            updated: number;
        };
        /** @description The gatekeeper network to move, and the database to move it to. */
        MoveNetworkRequest: {
            /**
             * @description The gatekeeper network: base58 of 32 bytes.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            gatekeeperNetwork: string;
            /**
             * @description The binding name of the database.
             * @example DB_2
             */
            to: string;
            /**
             * @description Whether to cancel the move and to delete its copies.
             * @example true
             */
            cancel?: boolean;
            /**
             * @description The reason, for the audit trail: at most 200 characters.
             * @example case 4711
             */
            reason?: string;
        };
        /** @description The moves of gatekeeper networks. */
        Moves: {
            /** @description The moves that have begun and not ended. */
            moves: components["schemas"]["Move"][];
        };
        /** @description A pass, by its names. */
        NamedPass: {
            /**
             * @description The gatekeeper network: base58 of 32 bytes.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            gatekeeperNetwork: string;
            chain: components["schemas"]["ChainName"];
            network: components["schemas"]["NetworkName"];
            walletAddress: components["schemas"]["Wallet"];
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
        /** @description A webhook of any gatekeeper network. */
        OperatorWebhook: {
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
            url?: string;
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
            status?: "enabled" | "disabled" | (string & {});
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
            createdAt?: string;
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
            cursor?: number;
            /**
             * Format: int64
             * @description The number of events that wait for a retry, or behind an earlier event of their pass.
             * @example 0
             */
            waiting?: number;
            /**
             * @description A gatekeeper network: base58 of 32 bytes.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            gatekeeperNetwork: string;
            /**
             * Format: int64
             * @description The number of sequences from the position of the webhook to the newest event.
             * @example 0
             */
            lag?: number;
            /**
             * @description Only if true: the object of the webhook does not answer.
             * @example true
             */
            unreachable?: boolean;
        };
        /** @description A partner and its gatekeeper network. */
        Partner: {
            clientId: components["schemas"]["ClientId"];
            /**
             * @description The name of the partner, for lists.
             * @example Stark
             */
            name: string;
            /** @description The networks on which the partner may issue passes. `null`: all. */
            networks: ("sepolia" | "mainnet-beta" | "devnet" | "mainnet" | "polygonAmoy" | "polygonMainnet" | "polygonZKEVM" | "polygonZKEVMTestnet" | "optimismSepolia" | "optimismMainnet" | "arbitrumSepolia" | "arbitrumMainnet" | "avalancheCChain" | "avalancheCChainFuji" | "xdcMainnet" | "xdcApothem" | "fantomMainnet" | "fantomTestnet" | "baseSepolia" | "baseMainnet" | "bscMainnet" | "bscTestnet" | "xlayerMainnet" | "xlayerTestnet" | "unichainMainnet" | "unichainSepolia" | "sonicMainnet" | "sonicTestnet" | (string & {}))[] | null;
            /**
             * Format: int64
             * @description The lifetime of new passes in seconds. `null`: they do not expire.
             * @example 31536000
             */
            passLifetime: number | null;
            /**
             * Format: int64
             * @description The maximum number of issuances per day (UTC). `null`: no limit.
             * @example 500
             */
            dailyIssuances: number | null;
            /**
             * Format: int64
             * @description The maximum number of changes per day (UTC). `null`: no limit.
             * @example 500
             */
            dailyChanges: number | null;
            /**
             * @description The organization whose members may sign in to the console for the partner. `null`: nobody may.
             * @example org_acme
             */
            organization: string | null;
            /**
             * @description Whether the service accepts requests of the partner. Currently one of `active`, `suspended`. Later releases may add values.
             * @example active
             */
            status: "active" | "suspended" | (string & {});
            /**
             * Format: int64
             * @description The time when the partner was added. In Unix seconds.
             * @example 1795172625
             */
            createdAt: number;
            /**
             * @description A gatekeeper network: base58 of 32 bytes.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            gatekeeperNetwork: string;
            /**
             * @description Whether all its networks are simulated.
             * @example false
             */
            sandbox: boolean;
            /**
             * @description The binding of the database with its passes.
             * @example DB
             */
            shard: string;
            /**
             * @description The chosen contracts by Ethereum-type network.
             * @example {
             *       "sepolia": "0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E"
             *     }
             */
            contracts: {
                [key: string]: string;
            };
            rules: components["schemas"]["Rules"];
            /**
             * @description Whether anybody may check its passes.
             * @example false
             */
            publicVerify: boolean;
        };
        /** @description The settings to change. An absent one stays. */
        PartnerChangeRequest: {
            /**
             * @description The name of the partner, for lists.
             * @example Stark
             */
            name?: string;
            /**
             * @description The networks on which the partner may issue passes. `null`: no limit.
             * @example [
             *       "sepolia",
             *       "baseSepolia"
             *     ]
             */
            networks?: ("sepolia" | "mainnet-beta" | "devnet" | "mainnet" | "polygonAmoy" | "polygonMainnet" | "polygonZKEVM" | "polygonZKEVMTestnet" | "optimismSepolia" | "optimismMainnet" | "arbitrumSepolia" | "arbitrumMainnet" | "avalancheCChain" | "avalancheCChainFuji" | "xdcMainnet" | "xdcApothem" | "fantomMainnet" | "fantomTestnet" | "baseSepolia" | "baseMainnet" | "bscMainnet" | "bscTestnet" | "xlayerMainnet" | "xlayerTestnet" | "unichainMainnet" | "unichainSepolia" | "sonicMainnet" | "sonicTestnet")[] | null;
            /**
             * Format: int32
             * @description The maximum number of issuances per day (UTC). `null`: no limit.
             * @example 500
             */
            dailyIssuances?: number | null;
            /**
             * Format: int32
             * @description The maximum number of changes per day (UTC). Revoking is always possible. `null`: no limit.
             * @example 500
             */
            dailyChanges?: number | null;
            /**
             * Format: int64
             * @description The lifetime of new passes in seconds. `null`: they do not expire.
             * @example 31536000
             */
            passLifetime?: number | null;
            /**
             * @description The organization whose members may sign in to the console for the partner. `null`: nobody may.
             * @example org_acme
             */
            organization?: string | null;
            /**
             * @description `suspended` refuses all requests of the partner, and `active` ends that.
             * @example suspended
             * @enum {string}
             */
            status?: "active" | "suspended";
            /**
             * @description The id of the confirmed approval of this request. The other fields must be those of the request that asked for it.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            approval?: string;
            /**
             * @description The reason, for the audit trail: at most 200 characters.
             * @example case 4711
             */
            reason?: string;
        } | unknown | unknown | unknown | unknown | unknown | unknown | unknown;
        /** @description A slice of an export. */
        PartnerExport: {
            /** @description The gatekeeper networks of these partners. */
            gatekeeper_networks: components["schemas"]["GatekeeperNetworkRow"][];
            /** @description The partners in the order of their ids. */
            partners: components["schemas"]["PartnerRow"][];
            /**
             * @description Send it as `after` to get the next page. `null`: this is the last one.
             * @example c.c3Rhcms
             */
            next: string | null;
        };
        /** @description A slice of an export. */
        PartnerImportRequest: {
            /** @description The gatekeeper networks of these partners. */
            gatekeeper_networks: components["schemas"]["GatekeeperNetworkRow"][];
            /** @description The partners. */
            partners: components["schemas"]["PartnerRow"][];
            /**
             * @description The id of the confirmed approval of this request. The other fields must be those of the request that asked for it.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            approval?: string;
            /**
             * @description The reason, for the audit trail: at most 200 characters.
             * @example case 4711
             */
            reason?: string;
        };
        /** @description A page of the partners. */
        PartnerPage: {
            /** @description The partners in the order of their ids. */
            partners: components["schemas"]["Partner"][];
            /**
             * @description Send it as `after` to get the next page. `null`: this is the last one.
             * @example c.c3Rhcms
             */
            next: string | null;
        };
        /** @description A new partner. Each limit must be named, also if there is none. */
        PartnerRequest: {
            /**
             * @description The id of its OAuth client, as its tokens show it.
             * @example stark
             */
            clientId: string;
            /**
             * @description The name of the partner, for lists.
             * @example Stark
             */
            name: string;
            /**
             * @description Its gatekeeper network: base58 of 32 bytes. It begins with `sandbox` if, and only if, `sandbox` is true. Without it, the service makes a new sandbox.
             * @example 9WmQXZShQGbxuD4gbVEgL5spYPYByUTCzjRubHcNR29Z
             */
            gatekeeperNetwork?: string;
            /**
             * @description Whether all its networks are simulated. Name the same sandbox for a further client of it.
             * @example false
             */
            sandbox?: boolean;
            /**
             * @description The binding of the database for its passes. Default: the shard of the gatekeeper network, or `DB` if it is new.
             * @example DB
             */
            shard?: string;
            /** @description The contracts of its passes by Ethereum-type network. Absent ones are chosen by the first issuance. They never change. */
            contracts?: {
                /**
                 * @description The contract on mainnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                mainnet?: string;
                /**
                 * @description The contract on sepolia.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                sepolia?: string;
                /**
                 * @description The contract on polygonAmoy.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                polygonAmoy?: string;
                /**
                 * @description The contract on polygonMainnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                polygonMainnet?: string;
                /**
                 * @description The contract on polygonZKEVM.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                polygonZKEVM?: string;
                /**
                 * @description The contract on polygonZKEVMTestnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                polygonZKEVMTestnet?: string;
                /**
                 * @description The contract on optimismSepolia.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                optimismSepolia?: string;
                /**
                 * @description The contract on optimismMainnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                optimismMainnet?: string;
                /**
                 * @description The contract on arbitrumSepolia.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                arbitrumSepolia?: string;
                /**
                 * @description The contract on arbitrumMainnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                arbitrumMainnet?: string;
                /**
                 * @description The contract on avalancheCChain.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                avalancheCChain?: string;
                /**
                 * @description The contract on avalancheCChainFuji.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                avalancheCChainFuji?: string;
                /**
                 * @description The contract on xdcMainnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                xdcMainnet?: string;
                /**
                 * @description The contract on xdcApothem.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                xdcApothem?: string;
                /**
                 * @description The contract on fantomMainnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                fantomMainnet?: string;
                /**
                 * @description The contract on fantomTestnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                fantomTestnet?: string;
                /**
                 * @description The contract on baseSepolia.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                baseSepolia?: string;
                /**
                 * @description The contract on baseMainnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                baseMainnet?: string;
                /**
                 * @description The contract on bscMainnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                bscMainnet?: string;
                /**
                 * @description The contract on bscTestnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                bscTestnet?: string;
                /**
                 * @description The contract on xlayerMainnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                xlayerMainnet?: string;
                /**
                 * @description The contract on xlayerTestnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                xlayerTestnet?: string;
                /**
                 * @description The contract on unichainMainnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                unichainMainnet?: string;
                /**
                 * @description The contract on unichainSepolia.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                unichainSepolia?: string;
                /**
                 * @description The contract on sonicMainnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                sonicMainnet?: string;
                /**
                 * @description The contract on sonicTestnet.
                 * @example 0xA0d8b83d512cc74690DE0a57D156eddfB42752B4
                 */
                sonicTestnet?: string;
            };
            /**
             * @description The networks on which the partner may issue passes. `null`: no limit.
             * @example [
             *       "sepolia",
             *       "baseSepolia"
             *     ]
             */
            networks: ("sepolia" | "mainnet-beta" | "devnet" | "mainnet" | "polygonAmoy" | "polygonMainnet" | "polygonZKEVM" | "polygonZKEVMTestnet" | "optimismSepolia" | "optimismMainnet" | "arbitrumSepolia" | "arbitrumMainnet" | "avalancheCChain" | "avalancheCChainFuji" | "xdcMainnet" | "xdcApothem" | "fantomMainnet" | "fantomTestnet" | "baseSepolia" | "baseMainnet" | "bscMainnet" | "bscTestnet" | "xlayerMainnet" | "xlayerTestnet" | "unichainMainnet" | "unichainSepolia" | "sonicMainnet" | "sonicTestnet")[] | null;
            /**
             * Format: int32
             * @description The maximum number of issuances per day (UTC). `null`: no limit.
             * @example 500
             */
            dailyIssuances: number | null;
            /**
             * Format: int32
             * @description The maximum number of changes per day (UTC). Revoking is always possible. `null`: no limit.
             * @example 500
             */
            dailyChanges: number | null;
            /**
             * Format: int64
             * @description The lifetime of new passes in seconds. `null`: they do not expire.
             * @example 31536000
             */
            passLifetime?: number | null;
            /**
             * @description The organization whose members may sign in to the console for the partner. `null`: nobody may.
             * @example org_acme
             */
            organization?: string | null;
            /**
             * @description The id of the confirmed approval of this request. The other fields must be those of the request that asked for it.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            approval?: string;
            /**
             * @description The reason, for the audit trail: at most 200 characters.
             * @example case 4711
             */
            reason?: string;
        } | unknown | unknown;
        /** @description A partner as the database has it. */
        PartnerRow: {
            client_id: components["schemas"]["ClientId"];
            /**
             * @description The name of the partner.
             * @example Stark
             */
            name: string;
            /**
             * @description A gatekeeper network: base58 of 32 bytes.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            gatekeeper_network: string;
            /**
             * @description The networks as JSON. `null`: all.
             * @example ["sepolia"]
             */
            networks: string | null;
            /**
             * Format: int64
             * @description The lifetime of new passes in seconds. `null`: they do not expire.
             * @example 31536000
             */
            pass_lifetime_seconds: number | null;
            /**
             * Format: int64
             * @description The maximum number of issuances per day. `null`: no limit.
             * @example 500
             */
            daily_issuances: number | null;
            /**
             * Format: int64
             * @description The maximum number of changes per day. `null`: no limit.
             * @example 500
             */
            daily_changes: number | null;
            /**
             * @description The organization. `null`: none.
             * @example org_acme
             */
            organization: string | null;
            /**
             * @description Whether the service accepts requests of the partner. Currently one of `active`, `suspended`. Later releases may add values.
             * @example active
             */
            status: "active" | "suspended" | (string & {});
            /**
             * Format: int64
             * @description The time when the partner was added. In Unix seconds.
             * @example 1795172625
             */
            created_at: number;
        };
        /** @description The usage of a gatekeeper network. */
        PartnerUsage: {
            /**
             * @description A gatekeeper network: base58 of 32 bytes.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            gatekeeperNetwork: string;
            /** @description The partners that share the gatekeeper network. */
            clients: components["schemas"]["UsageClient"][];
            /** @description Each network where the gatekeeper network ever had an active pass or a confirmed change. */
            networks: components["schemas"]["NetworkUsage"][];
            subjects?: components["schemas"]["SubjectUsage"];
        };
        /** @description The result of an import. */
        PartnersImported: {
            /**
             * Format: int64
             * @description The number of partners that the slice has added or overwritten.
             * @example 100
             */
            imported: number;
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
        /** @description Whether anybody may check the passes. */
        PublicChecksRequest: {
            /**
             * @description Whether `GET /verify` answers for the gatekeeper network.
             * @example true
             */
            publicVerify: boolean;
            /**
             * @description The reason, for the audit trail: at most 200 characters.
             * @example case 4711
             */
            reason?: string;
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
        /** @description A slice of the pass objects, and the shard to rebuild. */
        RebuildRequest: {
            /**
             * @description The binding name of the database to rebuild.
             * @example DB
             */
            shard: string;
            /**
             * @description The ids of pass objects, as the platform lists them.
             * @example [
             *       "3fd2a8c1b6e94f07a5d1c38e72b4906fd8e1a37c5b2f4e60918d7c3a5f6b2e14"
             *     ]
             */
            objects: string[];
            /**
             * @description Whether to begin a new rebuild of the shard, which drops the counts of the earlier one.
             * @example true
             */
            start?: boolean;
            /**
             * @description The position at which the list of objects continues after this slice. `null`: the rebuild is finished. Absent: earlier slices are still under way.
             * @example 4000
             */
            position?: string | null;
            /**
             * @description The reason, for the audit trail: at most 200 characters.
             * @example case 4711
             */
            reason?: string;
        };
        /** @description The result of a slice of a rebuild. */
        Rebuilt: {
            /**
             * Format: int64
             * @description The number of pass objects that answered.
             * @example 200
             */
            objects: number;
            /**
             * Format: int64
             * @description The number of pass objects with a pass of the shard. The row of each such pass is now at least as new.
             * @example 150
             */
            passes: number;
            /**
             * Format: int64
             * @description The number of pass objects with a pass of another shard.
             * @example 48
             */
            elsewhere: number;
            /**
             * Format: int64
             * @description The number of pass objects without a pass.
             * @example 2
             */
            empty: number;
            /** @description The pass objects that did not answer. Send their ids again. */
            unreachable: string[];
        };
        /** @description The result of the last reconciliation, and the progress of rebuilds. */
        Reconciliation: {
            /** @description The newest run. `null`: there was none. */
            run: {
                /** @description The gatekeeper networks and networks where the run changes nothing until the operator accepts the losses. */
                held: {
                    /**
                     * @description A gatekeeper network: base58 of 32 bytes.
                     * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
                     */
                    gatekeeperNetwork: string;
                    /**
                     * @description The network of the chain. Currently one of `sepolia`, `mainnet-beta`, `devnet`, `mainnet`, `polygonAmoy`, `polygonMainnet`, `polygonZKEVM`, `polygonZKEVMTestnet`, `optimismSepolia`, `optimismMainnet`, `arbitrumSepolia`, `arbitrumMainnet`, `avalancheCChain`, `avalancheCChainFuji`, `xdcMainnet`, `xdcApothem`, `fantomMainnet`, `fantomTestnet`, `baseSepolia`, `baseMainnet`, `bscMainnet`, `bscTestnet`, `xlayerMainnet`, `xlayerTestnet`, `unichainMainnet`, `unichainSepolia`, `sonicMainnet`, `sonicTestnet`. Later releases may add values.
                     * @example sepolia
                     */
                    network: "sepolia" | "mainnet-beta" | "devnet" | "mainnet" | "polygonAmoy" | "polygonMainnet" | "polygonZKEVM" | "polygonZKEVMTestnet" | "optimismSepolia" | "optimismMainnet" | "arbitrumSepolia" | "arbitrumMainnet" | "avalancheCChain" | "avalancheCChainFuji" | "xdcMainnet" | "xdcApothem" | "fantomMainnet" | "fantomTestnet" | "baseSepolia" | "baseMainnet" | "bscMainnet" | "bscTestnet" | "xlayerMainnet" | "xlayerTestnet" | "unichainMainnet" | "unichainSepolia" | "sonicMainnet" | "sonicTestnet" | (string & {});
                    /**
                     * Format: int64
                     * @description The number of passes that were compared with the chain.
                     * @example 1200
                     */
                    compared: number;
                    /**
                     * Format: int64
                     * @description The number of passes that seem to have lost their token.
                     * @example 400
                     */
                    absent: number;
                }[];
                /**
                 * Format: int64
                 * @description The time when the run began. In Unix seconds.
                 * @example 1795172625
                 */
                started: number;
                /**
                 * Format: int64
                 * @description The time when the run ended, or `null` if it continues, tonight or in the next night. In Unix seconds.
                 * @example 1795172625
                 */
                finished: number | null;
                /**
                 * Format: int64
                 * @description The start of the night in which the run last worked. In Unix seconds.
                 * @example 1795172625
                 */
                night: number;
                /**
                 * Format: int64
                 * @description The number of slices of up to 100 passes that were done in that night.
                 * @example 12
                 */
                slices: number;
                /**
                 * @description How often each case occurred: `passes`; the differences `row-missing`, `row-stale`, `row-altered`, `no-pass-object`, `no-alarm` and `changed-on-chain`; passes that could not be compared, by reason: `object-unreachable`, `signer-not-configured`, `busy`, `not-final`, `unreadable` and `held`.
                 * @example {
                 *       "passes": 1200,
                 *       "row-stale": 1
                 *     }
                 */
                counts: {
                    [key: string]: number;
                };
            } | null;
            /** @description The newest rebuild of each shard that had one. */
            rebuilds: {
                /**
                 * @description The binding name of the database.
                 * @example DB
                 */
                shard: string;
                /**
                 * Format: int64
                 * @description The time when the rebuild began. In Unix seconds.
                 * @example 1795172625
                 */
                started: number;
                /**
                 * Format: int64
                 * @description The time when the rebuild ended, or `null` if it continues. In Unix seconds.
                 * @example 1795172625
                 */
                finished: number | null;
                /**
                 * Format: int64
                 * @description The time of the last progress. In Unix seconds.
                 * @example 1795172625
                 */
                updated: number;
                /**
                 * @description The position at which the list of objects continues. `null`: at its beginning, or the rebuild is finished.
                 * @example 4000
                 */
                position: string | null;
                /**
                 * Format: int64
                 * @description The number of pass objects that answered.
                 * @example 200
                 */
                objects: number;
                /**
                 * Format: int64
                 * @description The number of pass objects with a pass of the shard. The row of each such pass is now at least as new.
                 * @example 150
                 */
                passes: number;
                /**
                 * Format: int64
                 * @description The number of pass objects with a pass of another shard.
                 * @example 48
                 */
                elsewhere: number;
                /**
                 * Format: int64
                 * @description The number of pass objects without a pass.
                 * @example 2
                 */
                empty: number;
            }[];
        };
        /** @description The entry of the command. */
        RecordedCommand: {
            /**
             * Format: uuid
             * @description The key of the entry.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            recorded: string;
        };
        /** @description The work to retry: exactly one of `pass`, `all`, `deadLetter` and `deadLetters`. */
        RedriveRequest: {
            /** @description The pass to retry. */
            pass?: {
                /**
                 * @description The gatekeeper network of the pass: base58 of 32 bytes.
                 * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
                 */
                gatekeeperNetwork: string;
                chain: components["schemas"]["ChainName"];
                network: components["schemas"]["NetworkName"];
                walletAddress: components["schemas"]["Wallet"];
            };
            /**
             * @description Retries the passes that have been unsettled for more than `olderThan` seconds, oldest first.
             * @example stuck
             * @constant
             */
            all?: "stuck";
            /**
             * Format: int64
             * @description Only passes that have been unsettled for more than this many seconds. Only with `all`. The default is 300.
             * @example 300
             */
            olderThan?: number;
            /**
             * @description Continues the list: the `next` of the previous response.
             * @example 1795172625:01a1f8a0-6cfb-7613-a30a-0ccef041f58c
             */
            after?: string;
            /**
             * @description The id of the dead letter to send again.
             * @example 8f14e45fceea167a5a36dedd4bea2543
             */
            deadLetter?: string;
            /**
             * @description Sends the dead letters again, newest first.
             * @example all
             * @constant
             */
            deadLetters?: "all";
            /**
             * @description The reason, for the audit trail: at most 200 characters.
             * @example case 4711
             */
            reason?: string;
        } & (unknown | unknown | unknown | unknown);
        /** @description The result of a redrive. */
        Redriven: {
            /**
             * Format: int64
             * @description The number of passes or messages that the request retries, at most 500.
             * @example 1
             */
            redriven: number;
            /**
             * @description Whether there are more. If so, send the request again.
             * @example false
             */
            more: boolean;
            /**
             * @description Send it as `after` of the next request to continue.
             * @example 1795172625:01a1f8a0-6cfb-7613-a30a-0ccef041f58c
             */
            next?: string;
        };
        /** @description The passes to revoke: exactly one of `client`, `gatekeeperNetwork`, `passes` and `wallets`. */
        RevocationRequest: {
            /**
             * @description The passes that this OAuth client issued between `from` and `to`, as the audit trail has them.
             * @example a-suspended-client
             */
            client?: string;
            /**
             * Format: int64
             * @description The first second of the issuances, in Unix seconds.
             * @example 1795172625
             */
            from?: number;
            /**
             * Format: int64
             * @description The last second of the issuances, in Unix seconds.
             * @example 1795176225
             */
            to?: number;
            /**
             * @description All passes of this gatekeeper network.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            gatekeeperNetwork?: string;
            /** @description The passes. A wallet without a pass is counted and left alone. */
            passes?: components["schemas"]["NamedPass"][];
            /** @description The wallets without a pass. Each gets a pass that revokes the tokens of the wallet. A wallet with a pass is left alone. */
            wallets?: components["schemas"]["NamedPass"][];
            /**
             * @description The reason, for the audit trail.
             * @example stolen secret, ticket 4711
             */
            reason: string;
            /**
             * @description Whether to count the passes only.
             * @example true
             */
            dryRun?: boolean;
            /**
             * @description Continues the revocation: the `next` of the previous response.
             * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c
             */
            after?: string;
            /**
             * @description The id of the confirmed approval of this request. The other fields must be those of the request that asked for it.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            approval?: string;
        } & (unknown | unknown | unknown | unknown);
        /** @description The result of a slice of a revocation. */
        Revoked: {
            /**
             * @description Whether the request has only counted.
             * @example false
             */
            dryRun: boolean;
            /**
             * Format: int64
             * @description The number of passes that the request revokes, or would revoke.
             * @example 198
             */
            revoked: number;
            /**
             * Format: int64
             * @description The number of passes that were revoked before.
             * @example 2
             */
            alreadyRevoked: number;
            /**
             * Format: int64
             * @description The number of wallets that are left alone: without a pass in `passes`, with a pass that is not revoked in `wallets`.
             * @example 0
             */
            skipped: number;
            /**
             * Format: int64
             * @description The number of passes that cannot be revoked now: their object does not answer, or no key serves the network. Send the request again.
             * @example 0
             */
            failed: number;
            /** @description The passes by network and state. */
            passes: {
                /**
                 * @description The network of the chain. Currently one of `sepolia`, `mainnet-beta`, `devnet`, `mainnet`, `polygonAmoy`, `polygonMainnet`, `polygonZKEVM`, `polygonZKEVMTestnet`, `optimismSepolia`, `optimismMainnet`, `arbitrumSepolia`, `arbitrumMainnet`, `avalancheCChain`, `avalancheCChainFuji`, `xdcMainnet`, `xdcApothem`, `fantomMainnet`, `fantomTestnet`, `baseSepolia`, `baseMainnet`, `bscMainnet`, `bscTestnet`, `xlayerMainnet`, `xlayerTestnet`, `unichainMainnet`, `unichainSepolia`, `sonicMainnet`, `sonicTestnet`. Later releases may add values.
                 * @example sepolia
                 */
                network: "sepolia" | "mainnet-beta" | "devnet" | "mainnet" | "polygonAmoy" | "polygonMainnet" | "polygonZKEVM" | "polygonZKEVMTestnet" | "optimismSepolia" | "optimismMainnet" | "arbitrumSepolia" | "arbitrumMainnet" | "avalancheCChain" | "avalancheCChainFuji" | "xdcMainnet" | "xdcApothem" | "fantomMainnet" | "fantomTestnet" | "baseSepolia" | "baseMainnet" | "bscMainnet" | "bscTestnet" | "xlayerMainnet" | "xlayerTestnet" | "unichainMainnet" | "unichainSepolia" | "sonicMainnet" | "sonicTestnet" | (string & {});
                /**
                 * @description The state before the request. `NONE`: the wallet had no pass. Currently one of `REQUESTED`, `ACTIVE`, `FROZEN`, `REVOKED`, `REJECTED`, `NONE`. Later releases may add values.
                 * @example ACTIVE
                 */
                state: "REQUESTED" | "ACTIVE" | "FROZEN" | "REVOKED" | "REJECTED" | "NONE" | (string & {});
                /**
                 * Format: int64
                 * @description The number of these passes.
                 * @example 198
                 */
                count: number;
            }[];
            /**
             * @description Send it as `after` of the same request to continue. `null`: the revocation is done.
             * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c
             */
            next: string | null;
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
        /** @description A gatekeeper key on a network. If its signer does not answer, `passesLeft` and the fields from `nextNonce` on are absent. */
        Signer: {
            /**
             * @description The network of the chain. Currently one of `sepolia`, `mainnet-beta`, `devnet`, `mainnet`, `polygonAmoy`, `polygonMainnet`, `polygonZKEVM`, `polygonZKEVMTestnet`, `optimismSepolia`, `optimismMainnet`, `arbitrumSepolia`, `arbitrumMainnet`, `avalancheCChain`, `avalancheCChainFuji`, `xdcMainnet`, `xdcApothem`, `fantomMainnet`, `fantomTestnet`, `baseSepolia`, `baseMainnet`, `bscMainnet`, `bscTestnet`, `xlayerMainnet`, `xlayerTestnet`, `unichainMainnet`, `unichainSepolia`, `sonicMainnet`, `sonicTestnet`. Later releases may add values.
             * @example sepolia
             */
            network: "sepolia" | "mainnet-beta" | "devnet" | "mainnet" | "polygonAmoy" | "polygonMainnet" | "polygonZKEVM" | "polygonZKEVMTestnet" | "optimismSepolia" | "optimismMainnet" | "arbitrumSepolia" | "arbitrumMainnet" | "avalancheCChain" | "avalancheCChainFuji" | "xdcMainnet" | "xdcApothem" | "fantomMainnet" | "fantomTestnet" | "baseSepolia" | "baseMainnet" | "bscMainnet" | "bscTestnet" | "xlayerMainnet" | "xlayerTestnet" | "unichainMainnet" | "unichainSepolia" | "sonicMainnet" | "sonicTestnet" | (string & {});
            /**
             * @description The type of the chain. Currently one of `ethereum`, `solana`. Later releases may add values.
             * @example ethereum
             */
            chain: "ethereum" | "solana" | (string & {});
            /**
             * @description The address of the gatekeeper key.
             * @example 0x70997970C51812dc3A010C7d01b50e0d17dc79C8
             */
            address: string;
            /**
             * @description Whether the key gets no new passes.
             * @example false
             */
            retired: boolean;
            /**
             * @description Whether somebody else has the key. It then signs nothing, and other keys serve its passes.
             * @example false
             */
            compromised: boolean;
            /** @description The emergency lists that the signer itself obeys. `null`: it does not answer. Absent in the explanation of a pass. */
            emergency?: {
                /**
                 * Format: int64
                 * @description The number of the lists that it obeys. 0: no emergency has set any.
                 * @example 1796000000000
                 */
                number: number;
                /**
                 * @description Whether its key signs nothing.
                 * @example false
                 */
                stopped: boolean;
            } | null;
            /**
             * @description The funds of the key in wei or lamports, as a decimal number. `null`: unknown, for the reason in `why`.
             * @example 998732000000000000
             */
            balance: string | null;
            /**
             * Format: int64
             * @description The number of issuances that the balance pays for, at their current maximum cost. `null`: the cost is unknown.
             * @example 480
             */
            passesLeft?: number | null;
            /**
             * @description The reason why the balance is unknown, for people.
             * @example the signer does not answer
             */
            why?: string;
            /**
             * Format: int64
             * @description The nonce of the next transaction. `null` on Solana, and while it is unknown.
             * @example 1208
             */
            nextNonce?: number | null;
            /**
             * Format: int64
             * @description The number of unsigned steps.
             * @example 3
             */
            waiting?: number;
            /** @description The unsigned steps by rank: revoke and freeze, then single requests, then bulk issuances. */
            waitingByRank?: number[];
            /** @description The transactions in flight, by progress. */
            inFlight?: {
                /**
                 * Format: int64
                 * @description The number of transactions that are signed and not sent yet.
                 * @example 0
                 */
                unsent: number;
                /**
                 * Format: int64
                 * @description The number of transactions that are sent and in no block yet.
                 * @example 2
                 */
                sent: number;
                /**
                 * Format: int64
                 * @description The number of transactions that are confirmed and not final yet.
                 * @example 5
                 */
                confirmed: number;
            };
            /** @description The transaction that has waited longest for a block. `null`: none is pending. */
            oldestPending?: {
                /**
                 * @description The id of the step: the id of its pass, a colon and a number.
                 * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c:1
                 */
                step: string;
                /**
                 * Format: int64
                 * @description The time when it was first signed. In Unix seconds.
                 * @example 1795172625
                 */
                since: number;
                /**
                 * Format: int64
                 * @description The number of seconds since then.
                 * @example 42
                 */
                ageSeconds: number;
                /**
                 * Format: int64
                 * @description The nonce of the transaction. `null` on Solana, which has no nonces.
                 * @example 1207
                 */
                nonce: number | null;
            } | null;
            /** @description The pause that is in force. `null`: there is none. */
            paused?: {
                /**
                 * @description The reason of the pause. Currently one of `not-configured`, `key-compromised`, `no-funds`, `kms-wrong-answer`, `kms-denied`, `kms-throttled`, `kms-unanswered`, `nodes-unanswered`, `foreign-transactions`, `nonces-far-ahead`, `no-program`, `gas-price-too-high`, `l1-fee-too-high`, `unknown-contract-error`, `not-authorized`, `network-missing`, `no-gatekeeper-network`, `no-contract`, `held`, `effect-not-shown`, `client-suspended`, `contract-code-unknown`, `contract-code-unread`, `suspensions-unread`, `earlier-store`, `nonce-not-final`, `mint-not-final`, `earlier-step-not-final`, `issuance-in-flight`, `signing-forbidden`, `broadcast-refused`, `unknown-step-error`, `tokens-not-final`, `final-block-unanswered`, `state-behind`, `nodes-behind`, `not-simulated`, `out-of-gas`, `simulation-failed`, `token-changed`, `too-many-tokens`, `answer-unreadable`, `account-unreadable`, `endpoints-disagree`, `absence-not-final`, `absence-unconfirmed`, `lane-ceiling`, `lane-reserve`, `signer-ceiling`, `signer-reserve`. Later releases may add values.
                 * @example not-configured
                 */
                code: "not-configured" | "key-compromised" | "no-funds" | "kms-wrong-answer" | "kms-denied" | "kms-throttled" | "kms-unanswered" | "nodes-unanswered" | "foreign-transactions" | "nonces-far-ahead" | "no-program" | "gas-price-too-high" | "l1-fee-too-high" | "unknown-contract-error" | "not-authorized" | "network-missing" | "no-gatekeeper-network" | "no-contract" | "held" | "effect-not-shown" | "client-suspended" | "contract-code-unknown" | "contract-code-unread" | "suspensions-unread" | "earlier-store" | "nonce-not-final" | "mint-not-final" | "earlier-step-not-final" | "issuance-in-flight" | "signing-forbidden" | "broadcast-refused" | "unknown-step-error" | "tokens-not-final" | "final-block-unanswered" | "state-behind" | "nodes-behind" | "not-simulated" | "out-of-gas" | "simulation-failed" | "token-changed" | "too-many-tokens" | "answer-unreadable" | "account-unreadable" | "endpoints-disagree" | "absence-not-final" | "absence-unconfirmed" | "lane-ceiling" | "lane-reserve" | "signer-ceiling" | "signer-reserve" | (string & {});
                /**
                 * @description The same as a sentence, for people.
                 * @example the gatekeeper has no funds
                 */
                why: string;
                /**
                 * Format: int64
                 * @description The time of the next try. In Unix seconds.
                 * @example 1795172625
                 */
                until: number;
            } | null;
            /** @description The spending of today, in wei or lamports, as decimal numbers. */
            spending?: {
                /**
                 * @description The cost of the transactions of today (UTC). A transaction counts with its highest possible cost until its final cost is known.
                 * @example 41250000000000000
                 */
                spent: string;
                /**
                 * @description The daily ceiling. A step that would exceed it waits until midnight UTC.
                 * @example 20000000000000000000
                 */
                ceiling: string;
                /**
                 * @description The amount that revocations may spend beyond the ceiling.
                 * @example 2000000000000000000
                 */
                reserve: string;
            };
            /** @description The gatekeeper networks that have waiting steps, have spent something today, or are paused. */
            lanes?: {
                /**
                 * @description A gatekeeper network: base58 of 32 bytes.
                 * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
                 */
                gatekeeperNetwork: string;
                /**
                 * Format: int64
                 * @description The number of unsigned steps of the gatekeeper network.
                 * @example 3
                 */
                waiting: number;
                /** @description The pause that is in force. `null`: there is none. */
                paused: {
                    /**
                     * @description The reason of the pause. Currently one of `not-configured`, `key-compromised`, `no-funds`, `kms-wrong-answer`, `kms-denied`, `kms-throttled`, `kms-unanswered`, `nodes-unanswered`, `foreign-transactions`, `nonces-far-ahead`, `no-program`, `gas-price-too-high`, `l1-fee-too-high`, `unknown-contract-error`, `not-authorized`, `network-missing`, `no-gatekeeper-network`, `no-contract`, `held`, `effect-not-shown`, `client-suspended`, `contract-code-unknown`, `contract-code-unread`, `suspensions-unread`, `earlier-store`, `nonce-not-final`, `mint-not-final`, `earlier-step-not-final`, `issuance-in-flight`, `signing-forbidden`, `broadcast-refused`, `unknown-step-error`, `tokens-not-final`, `final-block-unanswered`, `state-behind`, `nodes-behind`, `not-simulated`, `out-of-gas`, `simulation-failed`, `token-changed`, `too-many-tokens`, `answer-unreadable`, `account-unreadable`, `endpoints-disagree`, `absence-not-final`, `absence-unconfirmed`, `lane-ceiling`, `lane-reserve`, `signer-ceiling`, `signer-reserve`. Later releases may add values.
                     * @example not-configured
                     */
                    code: "not-configured" | "key-compromised" | "no-funds" | "kms-wrong-answer" | "kms-denied" | "kms-throttled" | "kms-unanswered" | "nodes-unanswered" | "foreign-transactions" | "nonces-far-ahead" | "no-program" | "gas-price-too-high" | "l1-fee-too-high" | "unknown-contract-error" | "not-authorized" | "network-missing" | "no-gatekeeper-network" | "no-contract" | "held" | "effect-not-shown" | "client-suspended" | "contract-code-unknown" | "contract-code-unread" | "suspensions-unread" | "earlier-store" | "nonce-not-final" | "mint-not-final" | "earlier-step-not-final" | "issuance-in-flight" | "signing-forbidden" | "broadcast-refused" | "unknown-step-error" | "tokens-not-final" | "final-block-unanswered" | "state-behind" | "nodes-behind" | "not-simulated" | "out-of-gas" | "simulation-failed" | "token-changed" | "too-many-tokens" | "answer-unreadable" | "account-unreadable" | "endpoints-disagree" | "absence-not-final" | "absence-unconfirmed" | "lane-ceiling" | "lane-reserve" | "signer-ceiling" | "signer-reserve" | (string & {});
                    /**
                     * @description The same as a sentence, for people.
                     * @example the gatekeeper has no funds
                     */
                    why: string;
                    /**
                     * Format: int64
                     * @description The time of the next try. In Unix seconds.
                     * @example 1795172625
                     */
                    until: number;
                } | null;
                /** @description The spending of today, in wei or lamports, as decimal numbers. */
                spending: {
                    /**
                     * @description The cost of the transactions of today (UTC). A transaction counts with its highest possible cost until its final cost is known.
                     * @example 41250000000000000
                     */
                    spent: string;
                    /**
                     * @description The daily ceiling. A step that would exceed it waits until midnight UTC.
                     * @example 20000000000000000000
                     */
                    ceiling: string;
                    /**
                     * @description The amount that revocations may spend beyond the ceiling.
                     * @example 2000000000000000000
                     */
                    reserve: string;
                };
            }[];
            /** @description The contracts that the signer watches. Empty on Solana. */
            contracts?: {
                /**
                 * @description The address of the contract.
                 * @example 0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E
                 */
                contract: string;
                /**
                 * @description Whether the code is the public build, another one that `NETWORKS` accepts, unknown, or missing. Currently one of `public-build`, `accepted`, `unknown`, `none`. Later releases may add values.
                 * @example public-build
                 */
                code: "public-build" | "accepted" | "unknown" | "none" | (string & {});
                /**
                 * @description The hash of the code. `null`: no code exists there.
                 * @example 0x9750f8d5da15f36ee7940d9910c068bd1093ed4e03f3fe729fbcc4ac5aa9e37b
                 */
                codeHash: string | null;
                /**
                 * @description The address of its implementation. `null`: it has none.
                 * @example 0x5FbDB2315678afecb367f032d93F642f64180aa3
                 */
                implementation: string | null;
                /** @description The known accounts that can replace the code and add forwarders. */
                superAdmins: string[];
                /** @description The known accounts that can act in the name of any account. */
                forwarders: string[];
                /**
                 * @description Whether two endpoints show it.
                 * @example true
                 */
                confirmed: boolean;
                /**
                 * @description Whether steps that give access wait because of the code.
                 * @example false
                 */
                holdsSteps: boolean;
                /**
                 * Format: int64
                 * @description The number of changes that the watcher has seen.
                 * @example 0
                 */
                changes: number;
                /**
                 * Format: int64
                 * @description The time of the last change. `null`: the watcher has seen none. In Unix seconds.
                 * @example 1795172625
                 */
                changedAt: number | null;
                /**
                 * Format: int64
                 * @description The time of the last check. In Unix seconds.
                 * @example 1795172625
                 */
                checkedAt: number;
            }[];
        };
        /** @description The signers and their work, and the lists that stop keys and clients without the database. */
        Signers: {
            /** @description One entry for each enabled network and gatekeeper key. */
            signers: components["schemas"]["Signer"][];
            /**
             * Format: int64
             * @description The number of the last emergency: Unix milliseconds that only grow. 0: there was none.
             * @example 1796000000000
             */
            emergencyNumber: number;
            /** @description The keys that `COMPROMISED_GATEKEEPERS` names, also those of networks that are not enabled. */
            compromisedGatekeepers: string[];
            /** @description The clients that `SUSPENDED_CLIENTS` names. `GET /admin/partners` has those that the database names. */
            suspendedClients: string[];
        };
        /** @description The record of the pass, without its validity and the reason for which it waits. */
        StoredRecord: {
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
        /** @description A pass that is not settled, and the reason. */
        StuckPass: {
            /** @description The pass. */
            pass: {
                /**
                 * Format: uuid
                 * @description The id of the pass: a UUIDv7. Ids sort by the time of creation.
                 * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c
                 */
                id: string;
                /**
                 * @description A gatekeeper network: base58 of 32 bytes.
                 * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
                 */
                gatekeeperNetwork: string;
                chain: components["schemas"]["Chain"];
                /**
                 * @description The wallet in its canonical form: an Ethereum address with its EIP-55 checksum, or on Solana base58 of 32 bytes.
                 * @example 0x52908400098527886E0F7030069857D2E4169EE7
                 * @example 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV
                 */
                walletAddress: string;
            };
            /**
             * Format: int64
             * @description The time when the alarm of the pass first found it unsettled. In Unix seconds.
             * @example 1795172625
             */
            since: number;
            /** @description The step that the pass waits for. Absent if there is none. */
            step?: {
                /**
                 * @description The id of the step: the id of its pass, a colon and a number.
                 * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c:1
                 */
                id: string;
                /**
                 * @description The change to make on chain. Currently one of `issue`, `set-expiry`, `freeze`, `unfreeze`, `revoke`. Later releases may add values.
                 * @example issue
                 */
                kind: "issue" | "set-expiry" | "freeze" | "unfreeze" | "revoke" | (string & {});
            };
            /**
             * Format: int64
             * @description How often the alarm of the pass has run since something last changed. Absent if the pass object cannot be reached.
             * @example 4
             */
            tries?: number;
            /**
             * @description Why the pass is not settled. Currently one of `object-unreachable`, `object-lost`, `not-begun`, `signer-unanswered`, `not-added`, `no-room`, `turn`, `vanished`, `unsent`, `sent`, `confirmed`, `final`, `not-configured`, `key-compromised`, `no-funds`, `kms-wrong-answer`, `kms-denied`, `kms-throttled`, `kms-unanswered`, `nodes-unanswered`, `foreign-transactions`, `nonces-far-ahead`, `no-program`, `gas-price-too-high`, `l1-fee-too-high`, `unknown-contract-error`, `not-authorized`, `network-missing`, `no-gatekeeper-network`, `no-contract`, `held`, `effect-not-shown`, `client-suspended`, `contract-code-unknown`, `contract-code-unread`, `suspensions-unread`, `earlier-store`, `nonce-not-final`, `mint-not-final`, `earlier-step-not-final`, `issuance-in-flight`, `signing-forbidden`, `broadcast-refused`, `unknown-step-error`, `tokens-not-final`, `final-block-unanswered`, `state-behind`, `nodes-behind`, `not-simulated`, `out-of-gas`, `simulation-failed`, `token-changed`, `too-many-tokens`, `answer-unreadable`, `account-unreadable`, `endpoints-disagree`, `absence-not-final`, `absence-unconfirmed`, `lane-ceiling`, `lane-reserve`, `signer-ceiling`, `signer-reserve`. Later releases may add values.
             * @example object-unreachable
             */
            code: "object-unreachable" | "object-lost" | "not-begun" | "signer-unanswered" | "not-added" | "no-room" | "turn" | "vanished" | "unsent" | "sent" | "confirmed" | "final" | "not-configured" | "key-compromised" | "no-funds" | "kms-wrong-answer" | "kms-denied" | "kms-throttled" | "kms-unanswered" | "nodes-unanswered" | "foreign-transactions" | "nonces-far-ahead" | "no-program" | "gas-price-too-high" | "l1-fee-too-high" | "unknown-contract-error" | "not-authorized" | "network-missing" | "no-gatekeeper-network" | "no-contract" | "held" | "effect-not-shown" | "client-suspended" | "contract-code-unknown" | "contract-code-unread" | "suspensions-unread" | "earlier-store" | "nonce-not-final" | "mint-not-final" | "earlier-step-not-final" | "issuance-in-flight" | "signing-forbidden" | "broadcast-refused" | "unknown-step-error" | "tokens-not-final" | "final-block-unanswered" | "state-behind" | "nodes-behind" | "not-simulated" | "out-of-gas" | "simulation-failed" | "token-changed" | "too-many-tokens" | "answer-unreadable" | "account-unreadable" | "endpoints-disagree" | "absence-not-final" | "absence-unconfirmed" | "lane-ceiling" | "lane-reserve" | "signer-ceiling" | "signer-reserve" | (string & {});
            /**
             * @description The same as a sentence, for people.
             * @example sent, and in no block yet
             */
            reason: string;
            /**
             * @description The remedy, for people. The runbook has the same sentence.
             * @example Send funds to the address of the signer (runbook: A key has no funds).
             */
            remedy: string;
        };
        /** @description A page of the unsettled passes. */
        StuckPasses: {
            /** @description The unsettled passes, oldest first. A page may have fewer than `limit` entries although more follow. */
            stuck: components["schemas"]["StuckPass"][];
            /**
             * @description Send it as `after` of the next request to continue. `null`: this is the last page.
             * @example 1795172625:01a1f8a0-6cfb-7613-a30a-0ccef041f58c
             */
            next: string | null;
            /** @description The databases that did not answer, so their passes are missing. Absent if all answered. */
            unreadShards?: string[];
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
        /** @description The webhook to disable, or to enable. */
        SwitchWebhookRequest: {
            /** @description The webhook to disable. */
            disable?: {
                /**
                 * @description The gatekeeper network of the webhook.
                 * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
                 */
                gatekeeperNetwork: string;
                id: components["schemas"]["WebhookId"];
            };
            /** @description The webhook to enable. */
            enable?: {
                /**
                 * @description The gatekeeper network of the webhook.
                 * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
                 */
                gatekeeperNetwork: string;
                id: components["schemas"]["WebhookId"];
            };
            /**
             * @description The reason, for the audit trail: at most 200 characters.
             * @example case 4711
             */
            reason?: string;
        } & (unknown | unknown);
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
        /** @description A partner of the gatekeeper network. */
        UsageClient: {
            /**
             * @description The id of the OAuth client.
             * @example acme
             */
            clientId: string;
            /**
             * @description The name of the partner.
             * @example Acme
             */
            name: string;
        };
        /** @description The usage of a month by gatekeeper network and network. */
        UsageOfAll: {
            /**
             * @description The month (UTC).
             * @example 2026-11
             */
            month: string;
            /** @description At most `limit` gatekeeper networks, in the order of their keys. */
            gatekeeperNetworks: components["schemas"]["PartnerUsage"][];
            /**
             * @description Send it as `after` to get the next page. `null`: this is the last one.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            next: string | null;
        };
        /** @description The action has changed nothing yet: another person must confirm it. */
        WaitsForApproval: {
            /** @description The action that waits for a second person. */
            approval: {
                /**
                 * @description The id of the approval.
                 * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
                 */
                id: string;
                /**
                 * Format: int64
                 * @description The time when the approval ends. In Unix seconds.
                 * @example 1795172625
                 */
                expires: number;
                /**
                 * Format: int64
                 * @description The number of items that the action concerns.
                 * @example 1200
                 */
                count: number;
            };
        };
        /**
         * @description A wallet address. On Ethereum-type networks: `0x` and 40 hex digits, not all zero; mixed case needs a valid EIP-55 checksum. On Solana: base58 of 32 bytes.
         * @example 0x52908400098527886E0F7030069857D2E4169EE7
         * @example 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV
         */
        Wallet: string;
        /** @description The watcher of a network. The fields after `status` are absent if the watcher has not begun or does not answer. */
        Watcher: {
            /**
             * @description The network of the chain. Currently one of `sepolia`, `mainnet-beta`, `devnet`, `mainnet`, `polygonAmoy`, `polygonMainnet`, `polygonZKEVM`, `polygonZKEVMTestnet`, `optimismSepolia`, `optimismMainnet`, `arbitrumSepolia`, `arbitrumMainnet`, `avalancheCChain`, `avalancheCChainFuji`, `xdcMainnet`, `xdcApothem`, `fantomMainnet`, `fantomTestnet`, `baseSepolia`, `baseMainnet`, `bscMainnet`, `bscTestnet`, `xlayerMainnet`, `xlayerTestnet`, `unichainMainnet`, `unichainSepolia`, `sonicMainnet`, `sonicTestnet`. Later releases may add values.
             * @example sepolia
             */
            network: "sepolia" | "mainnet-beta" | "devnet" | "mainnet" | "polygonAmoy" | "polygonMainnet" | "polygonZKEVM" | "polygonZKEVMTestnet" | "optimismSepolia" | "optimismMainnet" | "arbitrumSepolia" | "arbitrumMainnet" | "avalancheCChain" | "avalancheCChainFuji" | "xdcMainnet" | "xdcApothem" | "fantomMainnet" | "fantomTestnet" | "baseSepolia" | "baseMainnet" | "bscMainnet" | "bscTestnet" | "xlayerMainnet" | "xlayerTestnet" | "unichainMainnet" | "unichainSepolia" | "sonicMainnet" | "sonicTestnet" | (string & {});
            /**
             * @description Whether the watcher reads the chain. `off`: `NETWORKS` switches it off, or the configuration is invalid. `not-begun`: the network has no pass yet. `unreachable`: it does not answer. Currently one of `on`, `off`, `not-begun`, `unreachable`. Later releases may add values.
             * @example on
             */
            status: "on" | "off" | "not-begun" | "unreachable" | (string & {});
            /**
             * Format: int64
             * @description The time up to which the watcher has covered the chain. `null`: it has covered nothing yet. In Unix seconds.
             * @example 1795172625
             */
            coveredUntil?: number | null;
            /**
             * Format: int64
             * @description The number of parts of the chain that it has not read yet.
             * @example 0
             */
            gaps?: number;
            /**
             * Format: int64
             * @description The number of these parts that no endpoint serves. The reconciliation reads the passes of the network instead.
             * @example 0
             */
            unservedGaps?: number;
            /**
             * Format: int64
             * @description The number of changes that wait for a reading or for their final block. From 5,000 on, it scans nothing.
             * @example 2
             */
            waiting?: number;
            /**
             * Format: int64
             * @description The number of changes by others that passes have adopted since the watcher began.
             * @example 7
             */
            foreignChanges?: number;
            /** @description Tokens that others have issued to wallets without a pass since the watcher began: the newest 100 gatekeepers. */
            issuedByOthers?: {
                /**
                 * @description A gatekeeper network: base58 of 32 bytes.
                 * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
                 */
                gatekeeperNetwork: string;
                /**
                 * @description The address of the gatekeeper that issued them. `null`: unknown.
                 * @example 0x70997970C51812dc3A010C7d01b50e0d17dc79C8
                 */
                gatekeeper: string | null;
                /**
                 * Format: int64
                 * @description The number of tokens.
                 * @example 12
                 */
                tokens: number;
                /**
                 * Format: int64
                 * @description The time of the last one. In Unix seconds.
                 * @example 1795172625
                 */
                lastAt: number;
            }[];
            /** @description The gatekeepers whose removal has voided their tokens. Public checks refuse the wallets. */
            removedGatekeepers?: {
                /**
                 * @description A gatekeeper network: base58 of 32 bytes.
                 * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
                 */
                gatekeeperNetwork: string;
                /**
                 * @description The address of the gatekeeper.
                 * @example 0x70997970C51812dc3A010C7d01b50e0d17dc79C8
                 */
                gatekeeper: string;
            }[];
            /**
             * @description The reason why the last reading failed, for people. `null`: it did not.
             * @example no answer
             */
            why?: string | null;
        };
        /** @description The watchers, which learn what others change on chain. */
        Watchers: {
            /** @description One entry for each enabled network. */
            watchers: components["schemas"]["Watcher"][];
        };
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
        /**
         * Format: uuid
         * @description The id of a webhook.
         * @example 01a1f8a1-3b7e-7c41-9d52-6e0a8f4b2c17
         */
        WebhookId: string;
        /** @description The client or the gatekeeper network whose unsigned steps to withdraw. With both, only steps of the client in that gatekeeper network. */
        WithdrawRequest: {
            /**
             * @description The id of the OAuth client that requested the steps.
             * @example a-suspended-client
             */
            client?: string;
            /**
             * @description The gatekeeper network of the steps.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            gatekeeperNetwork?: string;
            /**
             * @description The id of the confirmed approval of this request. The other fields must be those of the request that asked for it.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            approval?: string;
            /**
             * @description The reason, for the audit trail: at most 200 characters.
             * @example case 4711
             */
            reason?: string;
        } | unknown | unknown;
        /** @description The result of withdrawing steps. */
        Withdrawn: {
            /**
             * Format: int64
             * @description The number of steps that have ended: up to 500, or up to 50 per signer if that is more.
             * @example 120
             */
            withdrawn: number;
            /**
             * Format: int64
             * @description The number of steps that are left, because a block may still include a transaction for them.
             * @example 2
             */
            signed: number;
            /**
             * @description Whether more steps wait. If so, send the request again.
             * @example false
             */
            more: boolean;
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
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The id of the request in the log of the service. Send it to the operator when you ask for help. */
        "X-Request-Id": string;
        /** @description The end of the network (RFC 8594): from then on, new passes there are refused. Absent if no end is announced. */
        Sunset: string;
        /** @description The problem with the access token (RFC 6750), and on 401 the URL that describes accepted tokens (RFC 9728). */
        "WWW-Authenticate": string;
        /** @description The number of seconds to wait before the next try. */
        "Retry-After": number;
        /** @description The URL to open next (RFC 9110). */
        Location: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listSigners: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One entry for each enabled network and gatekeeper key. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Signers"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listWatchers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One entry for each enabled network. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Watchers"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getMetrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The metrics. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/openmetrics-text; version=1.0.0; charset=utf-8": string;
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    lookUpPass: {
        parameters: {
            query?: {
                /** @description Only the pass in this gatekeeper network. */
                gatekeeperNetwork?: string;
            };
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
            /** @description The passes of the wallet, each with its reason and the remedy. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Sunset: components["headers"]["Sunset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "passes": [
                     *         {
                     *           "pass": {
                     *             "id": "01a1f8a0-6cfb-7613-a30a-0ccef041f58c",
                     *             "gatekeeperNetwork": "tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf",
                     *             "chain": {
                     *               "type": "ethereum",
                     *               "network": "sepolia"
                     *             },
                     *             "walletAddress": "0x52908400098527886E0F7030069857D2E4169EE7"
                     *           },
                     *           "code": "no-funds",
                     *           "reason": "the gatekeeper has no funds",
                     *           "remedy": "Send funds to the address of the signer (runbook: A key has no funds).",
                     *           "record": {
                     *             "id": "01a1f8a0-6cfb-7613-a30a-0ccef041f58c",
                     *             "chain": {
                     *               "type": "ethereum",
                     *               "network": "sepolia"
                     *             },
                     *             "gatekeeperNetwork": "tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf",
                     *             "walletAddress": "0x52908400098527886E0F7030069857D2E4169EE7",
                     *             "events": [
                     *               {
                     *                 "eventType": "TOKEN_ISSUED_INITIATED",
                     *                 "timestamp": 1795172625,
                     *                 "transaction": {
                     *                   "identifier": "0x148c2f1f20a3b1de9f5a2f7cde87f1b1b1e54e7b4dbe8d5e9b6ac2f4c9c66163",
                     *                   "status": "confirmed"
                     *                 },
                     *                 "reason": "superseded",
                     *                 "requestId": "5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11",
                     *                 "byOthers": {
                     *                   "gatekeeper": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
                     *                 }
                     *               }
                     *             ],
                     *             "onChainState": "ACTIVE",
                     *             "state": "ACTIVE",
                     *             "contract": "0xA0d8b83d512cc74690DE0a57D156eddfB42752B4",
                     *             "expiryTimestamp": 2208988800,
                     *             "reference": "order-4711",
                     *             "subject": "p-7f3c9a51e2"
                     *           },
                     *           "readModel": "current",
                     *           "step": {
                     *             "id": "01a1f8a0-6cfb-7613-a30a-0ccef041f58c:1",
                     *             "kind": "issue"
                     *           },
                     *           "tries": 4,
                     *           "signerName": "ethereum/sepolia/0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *           "signer": {
                     *             "network": "sepolia",
                     *             "chain": "ethereum",
                     *             "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
                     *             "retired": false,
                     *             "compromised": false,
                     *             "emergency": {
                     *               "number": 1796000000000,
                     *               "stopped": false
                     *             },
                     *             "balance": "998732000000000000",
                     *             "passesLeft": 480,
                     *             "why": "the signer does not answer",
                     *             "nextNonce": 1208,
                     *             "waiting": 3,
                     *             "waitingByRank": [
                     *               3
                     *             ],
                     *             "inFlight": {
                     *               "unsent": 0,
                     *               "sent": 2,
                     *               "confirmed": 5
                     *             },
                     *             "oldestPending": {
                     *               "step": "01a1f8a0-6cfb-7613-a30a-0ccef041f58c:1",
                     *               "since": 1795172625,
                     *               "ageSeconds": 42,
                     *               "nonce": 1207
                     *             },
                     *             "paused": {
                     *               "code": "not-configured",
                     *               "why": "the gatekeeper has no funds",
                     *               "until": 1795172625
                     *             },
                     *             "spending": {
                     *               "spent": "41250000000000000",
                     *               "ceiling": "20000000000000000000",
                     *               "reserve": "2000000000000000000"
                     *             },
                     *             "lanes": [
                     *               {
                     *                 "gatekeeperNetwork": "tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf",
                     *                 "waiting": 3,
                     *                 "paused": {
                     *                   "code": "not-configured",
                     *                   "why": "the gatekeeper has no funds",
                     *                   "until": 1795172625
                     *                 },
                     *                 "spending": {
                     *                   "spent": "41250000000000000",
                     *                   "ceiling": "20000000000000000000",
                     *                   "reserve": "2000000000000000000"
                     *                 }
                     *               }
                     *             ],
                     *             "contracts": [
                     *               {
                     *                 "contract": "0xF65b6396dF6B7e2D8a6270E3AB6c7BB08BAEF22E",
                     *                 "code": "public-build",
                     *                 "codeHash": "0x9750f8d5da15f36ee7940d9910c068bd1093ed4e03f3fe729fbcc4ac5aa9e37b",
                     *                 "implementation": "0x5FbDB2315678afecb367f032d93F642f64180aa3",
                     *                 "superAdmins": [
                     *                   "0x74489ac99AE3cE1428Ce8C8dBE374CFFc009081E"
                     *                 ],
                     *                 "forwarders": [
                     *                   "0x8419F704CD6520E2C3EF477ef9BFA3159Ea1ACA7"
                     *                 ],
                     *                 "confirmed": true,
                     *                 "holdsSteps": false,
                     *                 "changes": 0,
                     *                 "changedAt": 1795172625,
                     *                 "checkedAt": 1795172625
                     *               }
                     *             ]
                     *           },
                     *           "node": {
                     *             "answers": true,
                     *             "why": "the nodes do not answer"
                     *           }
                     *         }
                     *       ],
                     *       "unreadShards": [
                     *         "DB_1"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ExplainedPasses"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
    listStuckPasses: {
        parameters: {
            query?: {
                /** @description Only passes that have been unsettled for more than this many seconds. */
                olderThan?: number;
                /** @description The maximum number of entries in the response. */
                limit?: number;
                /** @description Continues the list: the `next` of the previous response. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the unsettled passes. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "stuck": [
                     *         {
                     *           "pass": {
                     *             "id": "01a1f8a0-6cfb-7613-a30a-0ccef041f58c",
                     *             "gatekeeperNetwork": "tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf",
                     *             "chain": {
                     *               "type": "ethereum",
                     *               "network": "sepolia"
                     *             },
                     *             "walletAddress": "0x52908400098527886E0F7030069857D2E4169EE7"
                     *           },
                     *           "since": 1795172625,
                     *           "step": {
                     *             "id": "01a1f8a0-6cfb-7613-a30a-0ccef041f58c:1",
                     *             "kind": "issue"
                     *           },
                     *           "tries": 4,
                     *           "code": "object-unreachable",
                     *           "reason": "sent, and in no block yet",
                     *           "remedy": "Send funds to the address of the signer (runbook: A key has no funds)."
                     *         }
                     *       ],
                     *       "next": "1795172625:01a1f8a0-6cfb-7613-a30a-0ccef041f58c",
                     *       "unreadShards": [
                     *         "DB_1"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["StuckPasses"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    redrive: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RedriveRequest"];
            };
        };
        responses: {
            /** @description The number of passes or messages that the request retries. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Redriven"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            /**
             * @description `not_found`: No operation has this path. Check the path and the base URL.
             *
             *     `pass_not_found`: The wallet has no pass on this network. Issue one with POST.
             */
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
    abandon: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AbandonRequest"];
            };
        };
        responses: {
            /** @description The number of issuances that have ended. Above a number of `SECOND_PERSON`, the action waits for another person. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "abandoned": 500,
                     *       "signed": 2,
                     *       "more": true
                     *     }
                     */
                    "application/json": components["schemas"]["Abandoned"] | components["schemas"]["WaitsForApproval"];
                };
            };
            /**
             * @description `invalid_json`: The body is not valid JSON. Send one JSON value in UTF-8.
             *
             *     `invalid_request`: Some fields of the request are invalid. Correct the fields that "errors" lists.
             *
             *     `unknown_network`: The chain or the network is unknown. Use a name that the API reference lists.
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
             *     `another_person_required`: Only a person who signed in to the console may decide, and not the one who asked.
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
            /** @description `approval_not_valid`: The approval does not allow this. GET /admin/approvals lists the approvals. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    withdraw: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WithdrawRequest"];
            };
        };
        responses: {
            /** @description The number of steps that have ended. Above a number of `SECOND_PERSON`, the action waits for another person. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "withdrawn": 120,
                     *       "signed": 2,
                     *       "more": false
                     *     }
                     */
                    "application/json": components["schemas"]["Withdrawn"] | components["schemas"]["WaitsForApproval"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope.
             *
             *     `another_person_required`: Only a person who signed in to the console may decide, and not the one who asked.
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
            /** @description `approval_not_valid`: The approval does not allow this. GET /admin/approvals lists the approvals. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listDeadLetters: {
        parameters: {
            query?: {
                /** @description The maximum number of entries in the response. */
                limit?: number;
                /** @description Continues the list: the `next` of the previous response. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the dead letters. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "deadLetters": [
                     *         {
                     *           "id": "8f14e45fceea167a5a36dedd4bea2543",
                     *           "at": 1795172625,
                     *           "reason": "its pass object could not be reached",
                     *           "body": {
                     *             "kind": "process-pass"
                     *           }
                     *         }
                     *       ],
                     *       "next": "1795172625:01a1f8a0-6cfb-7613-a30a-0ccef041f58c"
                     *     }
                     */
                    "application/json": components["schemas"]["DeadLetters"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    revokePasses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RevocationRequest"];
            };
        };
        responses: {
            /** @description The result of the slice. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dryRun": false,
                     *       "revoked": 198,
                     *       "alreadyRevoked": 2,
                     *       "skipped": 0,
                     *       "failed": 0,
                     *       "passes": [
                     *         {
                     *           "network": "sepolia",
                     *           "state": "ACTIVE",
                     *           "count": 198
                     *         }
                     *       ],
                     *       "next": "01a1f8a0-6cfb-7613-a30a-0ccef041f58c"
                     *     }
                     */
                    "application/json": components["schemas"]["Revoked"];
                };
            };
            /** @description Above a number of `SECOND_PERSON`, the action waits for another person. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval": {
                     *         "id": "5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11",
                     *         "expires": 1795172625,
                     *         "count": 1200
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WaitsForApproval"];
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
            /**
             * @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope.
             *
             *     `another_person_required`: Only a person who signed in to the console may decide, and not the one who asked.
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
            /** @description `approval_not_valid`: The approval does not allow this. GET /admin/approvals lists the approvals. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listApprovals: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The approvals. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approvals": [
                     *         {
                     *           "id": "5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11",
                     *           "action": "operator.revoke",
                     *           "request": {
                     *             "gatekeeperNetwork": "tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf",
                     *             "reason": "stolen secret, ticket 4711"
                     *           },
                     *           "count": 1200,
                     *           "askedBy": {
                     *             "client": "console",
                     *             "sub": "ada"
                     *           },
                     *           "askedAt": 1795172625,
                     *           "expiresAt": 1795172625,
                     *           "confirmedBy": {
                     *             "client": "console",
                     *             "sub": "ada"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Approvals"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    decideApproval: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ApprovalRequest"];
            };
        };
        responses: {
            /** @description The decision is stored. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "confirmed": {
                     *         "id": "5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11",
                     *         "action": "operator.revoke",
                     *         "request": {
                     *           "gatekeeperNetwork": "tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf",
                     *           "reason": "stolen secret, ticket 4711"
                     *         },
                     *         "count": 1200,
                     *         "askedBy": {
                     *           "client": "console",
                     *           "sub": "ada"
                     *         },
                     *         "askedAt": 1795172625,
                     *         "expiresAt": 1795172625,
                     *         "confirmedBy": {
                     *           "client": "console",
                     *           "sub": "ada"
                     *         }
                     *       },
                     *       "rejected": {
                     *         "id": "5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11",
                     *         "action": "operator.revoke",
                     *         "request": {
                     *           "gatekeeperNetwork": "tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf",
                     *           "reason": "stolen secret, ticket 4711"
                     *         },
                     *         "count": 1200,
                     *         "askedBy": {
                     *           "client": "console",
                     *           "sub": "ada"
                     *         },
                     *         "askedAt": 1795172625,
                     *         "expiresAt": 1795172625,
                     *         "confirmedBy": {
                     *           "client": "console",
                     *           "sub": "ada"
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Decided"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope.
             *
             *     `another_person_required`: Only a person who signed in to the console may decide, and not the one who asked.
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
            /** @description `approval_not_valid`: The approval does not allow this. GET /admin/approvals lists the approvals. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getReconciliation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The newest run, and the newest rebuild of each shard. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reconciliation"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    acceptReconciliation: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AcceptRequest"];
            };
        };
        responses: {
            /** @description The losses are accepted. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "accepted": {
                     *         "gatekeeperNetwork": "tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf",
                     *         "network": "sepolia"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AcceptedAbsences"];
                };
            };
            /** @description Above a number of `SECOND_PERSON`, the action waits for another person. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval": {
                     *         "id": "5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11",
                     *         "expires": 1795172625,
                     *         "count": 1200
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WaitsForApproval"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope.
             *
             *     `another_person_required`: Only a person who signed in to the console may decide, and not the one who asked.
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
            /** @description `approval_not_valid`: The approval does not allow this. GET /admin/approvals lists the approvals. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    rebuild: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RebuildRequest"];
            };
        };
        responses: {
            /** @description The result of the slice. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Rebuilt"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listMoves: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The moves. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "moves": [
                     *         {
                     *           "gatekeeperNetwork": "tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf",
                     *           "from": "DB",
                     *           "to": "DB_2",
                     *           "phase": "copy",
                     *           "passes": 48000,
                     *           "events": 0,
                     *           "started": 1795172625,
                     *           "updated": 1795172625
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Moves"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    moveNetwork: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["MoveNetworkRequest"];
            };
        };
        responses: {
            /** @description The progress of the move. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gatekeeperNetwork": "tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf",
                     *       "from": "DB",
                     *       "to": "DB_2",
                     *       "phase": "copy",
                     *       "passes": 48000,
                     *       "events": 0,
                     *       "started": 1795172625,
                     *       "updated": 1795172625
                     *     }
                     */
                    "application/json": components["schemas"]["Move"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            /** @description `gatekeeper_network_not_found`: No partner has this gatekeeper network. GET /admin/partners lists the partners. */
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
    listAllWebhooks: {
        parameters: {
            query?: {
                /** @description The maximum number of gatekeeper networks in the response. */
                limit?: number;
                /** @description Continues the list: the `next` of the previous response. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of webhooks. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AllWebhooks"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    disableWebhook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SwitchWebhookRequest"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listUsage: {
        parameters: {
            query?: {
                /** @description The month (UTC). If absent, the current one. */
                month?: string;
                /** @description The maximum number of gatekeeper networks in the response. */
                limit?: number;
                /** @description Continues the list: the `next` of the previous response. */
                after?: string;
                /** @description `true` counts the subjects too. */
                subjects?: "true" | "false";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the usage. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "month": "2026-11",
                     *       "gatekeeperNetworks": [
                     *         {
                     *           "gatekeeperNetwork": "tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf",
                     *           "clients": [
                     *             {
                     *               "clientId": "acme",
                     *               "name": "Acme"
                     *             }
                     *           ],
                     *           "networks": [
                     *             {
                     *               "chain": {
                     *                 "type": "ethereum",
                     *                 "network": "sepolia"
                     *               },
                     *               "issued": 1204,
                     *               "renewed": 87,
                     *               "revoked": 12,
                     *               "active": 20391
                     *             }
                     *           ],
                     *           "subjects": {
                     *             "count": 8107,
                     *             "passes": 12240
                     *           }
                     *         }
                     *       ],
                     *       "next": "tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf"
                     *     }
                     */
                    "application/json": components["schemas"]["UsageOfAll"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listAllAudit: {
        parameters: {
            query?: {
                /** @description `operator`, or a gatekeeper network. If absent, `operator`. */
                trail?: "operator" | string;
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
                    /**
                     * @example {
                     *       "entries": [
                     *         {
                     *           "sequence": 48212,
                     *           "previous": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "key": "01a1f8a0-6cfb-7613-a30a-0ccef041f58c/3",
                     *           "at": "2026-11-20T11:03:45.000Z",
                     *           "action": "pass.freeze",
                     *           "actor": {
                     *             "client": "acme",
                     *             "sub": "auth0|5f7c8ec7c33c6c004bbafe82"
                     *           },
                     *           "requestId": "5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11",
                     *           "target": {
                     *             "pass": "01a1f8a0-6cfb-7613-a30a-0ccef041f58c",
                     *             "chain": {
                     *               "type": "ethereum",
                     *               "network": "sepolia"
                     *             },
                     *             "walletAddress": "0x52908400098527886E0F7030069857D2E4169EE7"
                     *           },
                     *           "before": {
                     *             "state": "ACTIVE",
                     *             "client": "acme"
                     *           },
                     *           "after": {
                     *             "state": "FROZEN",
                     *             "client": "acme"
                     *           },
                     *           "reason": "case 4711",
                     *           "outcome": {
                     *             "type": "done",
                     *             "approval": "5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11",
                     *             "why": "DatabaseTimeout",
                     *             "counts": {
                     *               "entries": 12
                     *             }
                     *           },
                     *           "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *         }
                     *       ],
                     *       "next": 48212,
                     *       "more": false,
                     *       "head": {
                     *         "sequence": 48212,
                     *         "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *       },
                     *       "start": {
                     *         "sequence": 48212,
                     *         "hash": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *       }
                     *     }
                     */
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
    reportCommand: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CommandRequest"];
            };
        };
        responses: {
            /** @description The command is recorded. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recorded": "5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11"
                     *     }
                     */
                    "application/json": components["schemas"]["RecordedCommand"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            413: components["responses"]["BodyTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    listPartners: {
        parameters: {
            query?: {
                /** @description The maximum number of partners in the response. */
                limit?: number;
                /** @description Continues the list: the `next` of the previous response. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the partners. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartnerPage"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    addPartner: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PartnerRequest"];
            };
        };
        responses: {
            /** @description The partner. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
                };
            };
            /** @description With `SECOND_PERSON`, a change that gives a client or an organization rights over passes that exist waits for another person. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval": {
                     *         "id": "5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11",
                     *         "expires": 1795172625,
                     *         "count": 1200
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WaitsForApproval"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope.
             *
             *     `another_person_required`: Only a person who signed in to the console may decide, and not the one who asked.
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
            /**
             * @description `partner_exists`: A partner already has this client id. Change it with PATCH, or choose another id.
             *
             *     `organization_taken`: Another partner has this organization. Remove it there first.
             *
             *     `shard_differs`: The passes of this gatekeeper network are in another shard, and stay there. Omit the shard.
             *
             *     `contract_differs`: The passes of this gatekeeper network are in another contract, and stay there. Omit the contract.
             *
             *     `approval_not_valid`: The approval does not allow this. GET /admin/approvals lists the approvals.
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    exportPartners: {
        parameters: {
            query?: {
                /** @description The maximum number of partners in the response. */
                limit?: number;
                /** @description Continues the list: the `next` of the previous response. */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A slice of the export. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PartnerExport"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    importPartners: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PartnerImportRequest"];
            };
        };
        responses: {
            /** @description The number of imported partners. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "imported": 100
                     *     }
                     */
                    "application/json": components["schemas"]["PartnersImported"];
                };
            };
            /** @description With `SECOND_PERSON`, a change that gives a client or an organization rights over passes that exist waits for another person. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval": {
                     *         "id": "5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11",
                     *         "expires": 1795172625,
                     *         "count": 1200
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WaitsForApproval"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope.
             *
             *     `another_person_required`: Only a person who signed in to the console may decide, and not the one who asked.
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
            /**
             * @description `contract_differs`: The passes of this gatekeeper network are in another contract, and stay there. Omit the contract.
             *
             *     `sandbox_differs`: A client would enter or leave a sandbox. Register another client.
             *
             *     `approval_not_valid`: The approval does not allow this. GET /admin/approvals lists the approvals.
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    getPartner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the OAuth client, as its tokens show it.
                 * @example stark
                 */
                client: components["schemas"]["ClientId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The partner. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
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
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            /** @description `partner_not_found`: No partner has this client id. GET /admin/partners lists the partners. */
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
    changePartner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the OAuth client, as its tokens show it.
                 * @example stark
                 */
                client: components["schemas"]["ClientId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PartnerChangeRequest"];
            };
        };
        responses: {
            /** @description The partner after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Partner"];
                };
            };
            /** @description With `SECOND_PERSON`, a change that gives a client or an organization rights over passes that exist waits for another person. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "approval": {
                     *         "id": "5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11",
                     *         "expires": 1795172625,
                     *         "count": 1200
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WaitsForApproval"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            /**
             * @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope.
             *
             *     `another_person_required`: Only a person who signed in to the console may decide, and not the one who asked.
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
            /**
             * @description `not_found`: No operation has this path. Check the path and the base URL.
             *
             *     `partner_not_found`: No partner has this client id. GET /admin/partners lists the partners.
             */
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
             * @description `organization_taken`: Another partner has this organization. Remove it there first.
             *
             *     `approval_not_valid`: The approval does not allow this. GET /admin/approvals lists the approvals.
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    switchPublicChecks: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A gatekeeper network: base58 of 32 bytes.
                 * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
                 */
                gatekeeperNetwork: components["schemas"]["GatekeeperNetworkKey"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PublicChecksRequest"];
            };
        };
        responses: {
            /** @description The gatekeeper network after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatekeeperNetworkSettings"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            /** @description `gatekeeper_network_not_found`: No partner has this gatekeeper network. GET /admin/partners lists the partners. */
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
            /** @description `public_networks_limit_reached`: No more gatekeeper networks may have public checks. Switch them off for another one. */
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
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
        };
    };
    changeNetworkRules: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description A gatekeeper network: base58 of 32 bytes.
                 * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
                 */
                gatekeeperNetwork: components["schemas"]["GatekeeperNetworkKey"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RulesRequest"];
            };
        };
        responses: {
            /** @description The gatekeeper network after the change. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GatekeeperNetworkSettings"];
                };
            };
            400: components["responses"]["InvalidBody"];
            401: components["responses"]["Unauthorized"];
            /** @description `insufficient_scope`: The access token lacks the scope of this operation. Request a token with that scope. */
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
            /** @description `gatekeeper_network_not_found`: No partner has this gatekeeper network. GET /admin/partners lists the partners. */
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
}
