/** Made from `openapi.json` by `npm run types -w client`: change nothing here. */

export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the service runs and is configured
         * @description Asks neither the database nor a chain.
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
    "/.well-known/oauth-protected-resource": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whose access tokens are taken, and which scopes there are (RFC 9728)
         * @description A 401 points here. The base path of the service, if there is one, comes behind this path, not before it.
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
         * @description The passes of your gatekeeper network. To go through all of them, send the id of the last one you have as `after`, until there are fewer than `limit`.
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
         * Start the issuance of a pass for a wallet
         * @description The pass is stored, and issued on the chain behind the answer. Asking again changes nothing and never sends a second transaction; it tries a `REJECTED` pass again, and renews an expired one where passes of the partner have a default lifetime. A token that the wallet has already is adopted as it is.
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
         * @description Answers what is known of the pass, with its history. A pass of another gatekeeper network is as one that is not there.
         */
        get: operations["getPass"];
        put?: never;
        post?: never;
        /**
         * Revoke a pass for good
         * @description The same as `PATCH` with the state `REVOKED`. It is final; asking again changes nothing.
         */
        delete: operations["revokePass"];
        options?: never;
        head?: never;
        /**
         * Freeze, unfreeze or revoke a pass, or change when it expires
         * @description The wish is stored and shows at once; the chain follows, and an event tells when it is done. Asking again changes nothing. A change of a new pass waits until its issuance is final. The new expiry of a pass that is frozen is put on an Ethereum-type chain when it is unfrozen; until then the pass counts as settled.
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
         * Read the pass from the chain, and record what somebody else changed
         * @description Sends no transaction, and makes no pass. Answers the pass as it is while a transaction of this service is under way for the wallet, and while the loss of its token is not final. Where the chain cannot be read, a `REJECTED` pass is answered as it is, and every other with 503.
         */
        post: operations["syncPass"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @description What was found. */
        FoundPasses: {
            /** @description At most `limit` passes, newest first. Fewer than `limit`: there are no more. */
            records: components["schemas"]["PassRecord"][];
        };
        /** @description The service runs, and its configuration is right. */
        Health: {
            /**
             * @description Always `ok`: what is wrong is answered with a problem.
             * @example ok
             * @constant
             */
            status: "ok";
        };
        /** @description A step in the life of a pass. `transaction` is missing until one has been sent, and for what came true without one of this service. */
        PassEvent: {
            /**
             * @description What happened: a change `…_INITIATED`, the bare name when it is done, `…_FAILED` when it was refused for good or superseded, `…_REORGED` when its block left the chain. Today one of `TOKEN_ISSUED_INITIATED`, `TOKEN_ISSUED`, `TOKEN_ISSUED_FAILED`, `TOKEN_ISSUED_REORGED`, `TOKEN_FROZEN_INITIATED`, `TOKEN_FROZEN`, `TOKEN_FROZEN_FAILED`, `TOKEN_FROZEN_REORGED`, `TOKEN_UNFROZEN_INITIATED`, `TOKEN_UNFROZEN`, `TOKEN_UNFROZEN_FAILED`, `TOKEN_UNFROZEN_REORGED`, `TOKEN_REVOKED_INITIATED`, `TOKEN_REVOKED`, `TOKEN_REVOKED_FAILED`, `TOKEN_REVOKED_REORGED`, `TOKEN_EXPIRY_CHANGED_INITIATED`, `TOKEN_EXPIRY_CHANGED`, `TOKEN_EXPIRY_CHANGED_FAILED`, `TOKEN_EXPIRY_CHANGED_REORGED`; there may be others.
             * @example TOKEN_ISSUED_INITIATED
             */
            eventType: "TOKEN_ISSUED_INITIATED" | "TOKEN_ISSUED" | "TOKEN_ISSUED_FAILED" | "TOKEN_ISSUED_REORGED" | "TOKEN_FROZEN_INITIATED" | "TOKEN_FROZEN" | "TOKEN_FROZEN_FAILED" | "TOKEN_FROZEN_REORGED" | "TOKEN_UNFROZEN_INITIATED" | "TOKEN_UNFROZEN" | "TOKEN_UNFROZEN_FAILED" | "TOKEN_UNFROZEN_REORGED" | "TOKEN_REVOKED_INITIATED" | "TOKEN_REVOKED" | "TOKEN_REVOKED_FAILED" | "TOKEN_REVOKED_REORGED" | "TOKEN_EXPIRY_CHANGED_INITIATED" | "TOKEN_EXPIRY_CHANGED" | "TOKEN_EXPIRY_CHANGED_FAILED" | "TOKEN_EXPIRY_CHANGED_REORGED" | (string & {});
            /**
             * Format: int64
             * @description When it happened. Unix seconds.
             * @example 1795172625
             */
            timestamp: number;
            transaction?: components["schemas"]["Transaction"];
            /**
             * @description Why it failed, for people to read: only with `…_FAILED`.
             * @example superseded
             */
            reason?: string;
        };
        /** @description A pass: what it should be, what the chain holds, and what happened on the way. */
        PassRecord: {
            /**
             * Format: uuid
             * @description Identifier of the pass: a UUIDv7, so ids sort by the time of creation.
             * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c
             */
            id: string;
            chain: components["schemas"]["Chain"];
            /**
             * @description The gatekeeper network that the pass belongs to: base58 of 32 bytes. Always that of the caller.
             * @example tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf
             */
            gatekeeperNetwork: string;
            /**
             * @description The wallet that has the pass, in its canonical form: an Ethereum address with its EIP-55 checksum; on Solana base58 of 32 bytes.
             * @example 0x52908400098527886E0F7030069857D2E4169EE7
             * @example 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV
             */
            walletAddress: string;
            /** @description What happened to the pass, in order: the first event and the newest 99. */
            events: components["schemas"]["PassEvent"][];
            /**
             * @description What the chain is known to hold; `NONE`: no token. An expired token stays `ACTIVE`. Today one of `NONE`, `ACTIVE`, `FROZEN`, `REVOKED`; there may be others.
             * @example ACTIVE
             */
            onChainState: "NONE" | "ACTIVE" | "FROZEN" | "REVOKED" | (string & {});
            /**
             * @description What the pass should be. `REQUESTED`: to be `ACTIVE`, and not on chain yet. `FROZEN`: not valid until it is unfrozen. `REVOKED`: final, when you revoked it. `REJECTED`: the chain refused it for good; issuing again tries again. An expired pass stays `ACTIVE`. Today one of `REQUESTED`, `ACTIVE`, `FROZEN`, `REVOKED`, `REJECTED`; there may be others.
             * @example ACTIVE
             */
            state: "REQUESTED" | "ACTIVE" | "FROZEN" | "REVOKED" | "REJECTED" | (string & {});
            /**
             * Format: int64
             * @description When the pass is to expire; missing when it never does. Unix seconds.
             * @example 2208988800
             */
            expiryTimestamp?: number;
        };
        /** @description Metadata of a protected resource (RFC 9728). */
        ProtectedResource: {
            /**
             * Format: uri
             * @description This service: origin and base path.
             * @example https://passes.example.org
             */
            resource: string;
            /**
             * @description Its name, for people.
             * @example Gatepass
             */
            resource_name: string;
            /** @description Issuers whose access tokens are taken. */
            authorization_servers: string[];
            /** @description The scopes that the routes ask for. */
            scopes_supported: string[];
            /** @description How a token may be sent: in the header `Authorization` only. */
            bearer_methods_supported: ("header" | (string & {}))[];
        };
        /** @description A transaction on the chain. It has one status in all events that name it, so events already there change. */
        Transaction: {
            /**
             * @description Its hash; on Solana its signature, in base58. It may change until `status` is `confirmed`.
             * @example 0x148c2f1f20a3b1de9f5a2f7cde87f1b1b1e54e7b4dbe8d5e9b6ac2f4c9c66163
             */
            identifier: string;
            /**
             * @description `sent`: in no block yet, or not deep enough. `confirmed`: done. `failed`: it brought nothing about. After a reorg `confirmed` may turn into `sent` or `failed`. Today one of `sent`, `confirmed`, `failed`; there may be others.
             * @example confirmed
             */
            status: "sent" | "confirmed" | "failed" | (string & {});
        };
        /** @description The pass as it is then. */
        UpdatedPass: components["schemas"]["PassRecord"] & {
            /**
             * @description Always `ok`, for clients of the hosted service.
             * @example ok
             * @constant
             */
            status: "ok";
        };
        /** @description What is wrong with one field. */
        FieldError: {
            /**
             * @description JSON pointer (RFC 6901) into the body, or to a parameter of the path or the query by its name; empty: the whole.
             * @example /walletAddress
             */
            pointer: string;
            /**
             * @description What it must be.
             * @example is required
             */
            detail: string;
        };
        /** @description Why a request is not granted (RFC 9457). */
        Problem: {
            /**
             * Format: uri
             * @description Names the kind of problem: a URN that ends with the code.
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
             * @description The HTTP status of the answer.
             * @example 400
             */
            status: number;
            /**
             * @description What is the matter, for people to read.
             * @example The request does not have the form it must have.
             */
            detail: string;
            /**
             * @description What programs go by: codes are added, never changed. Today one of `invalid_json`, `invalid_request`, `unknown_network`, `invalid_wallet`, `network_not_enabled`, `token_missing`, `token_invalid`, `insufficient_scope`, `client_unknown`, `partner_suspended`, `network_not_allowed`, `not_found`, `pass_not_found`, `method_not_allowed`, `body_timeout`, `pass_frozen`, `pass_revoked`, `pass_rejected`, `pass_expired`, `issued_by_another_gatekeeper`, `body_too_large`, `unsupported_media_type`, `rate_limited`, `quota_reached`, `change_quota_reached`, `pass_change_limit_reached`, `waiting_limit_reached`, `internal_error`, `temporarily_unavailable`; there may be others.
             * @example invalid_request
             */
            code: "invalid_json" | "invalid_request" | "unknown_network" | "invalid_wallet" | "network_not_enabled" | "token_missing" | "token_invalid" | "insufficient_scope" | "client_unknown" | "partner_suspended" | "network_not_allowed" | "not_found" | "pass_not_found" | "method_not_allowed" | "body_timeout" | "pass_frozen" | "pass_revoked" | "pass_rejected" | "pass_expired" | "issued_by_another_gatekeeper" | "body_too_large" | "unsupported_media_type" | "rate_limited" | "quota_reached" | "change_quota_reached" | "pass_change_limit_reached" | "waiting_limit_reached" | "internal_error" | "temporarily_unavailable" | (string & {});
            /**
             * Format: uuid
             * @description Names the request in the log of the service.
             * @example 5f3d2d4e-1c36-4b84-9f0b-0d8f1c9b7a11
             */
            requestId: string;
            /** @description What is wrong with which field. */
            errors?: components["schemas"]["FieldError"][];
        };
        /** @description The chain and its network. */
        Chain: {
            /**
             * @description Type of the chain. Today one of `solana`, `ethereum`; there may be others.
             * @example ethereum
             */
            type: "solana" | "ethereum" | (string & {});
            /**
             * @description Network of the chain. Today one of `mainnet-beta`, `devnet`, `mainnet`, `sepolia`, `polygonAmoy`, `polygonMainnet`, `polygonZKEVM`, `polygonZKEVMTestnet`, `optimismSepolia`, `optimismMainnet`, `arbitrumSepolia`, `arbitrumMainnet`, `avalancheCChain`, `avalancheCChainFuji`, `xdcMainnet`, `xdcApothem`, `fantomMainnet`, `fantomTestnet`, `baseSepolia`, `baseMainnet`, `bscMainnet`, `bscTestnet`, `xlayerMainnet`, `xlayerTestnet`, `unichainMainnet`, `unichainSepolia`, `sonicMainnet`, `sonicTestnet`; there may be others.
             * @example sepolia
             */
            network: "mainnet-beta" | "devnet" | "mainnet" | "sepolia" | "polygonAmoy" | "polygonMainnet" | "polygonZKEVM" | "polygonZKEVMTestnet" | "optimismSepolia" | "optimismMainnet" | "arbitrumSepolia" | "arbitrumMainnet" | "avalancheCChain" | "avalancheCChainFuji" | "xdcMainnet" | "xdcApothem" | "fantomMainnet" | "fantomTestnet" | "baseSepolia" | "baseMainnet" | "bscMainnet" | "bscTestnet" | "xlayerMainnet" | "xlayerTestnet" | "unichainMainnet" | "unichainSepolia" | "sonicMainnet" | "sonicTestnet" | (string & {});
        };
        /**
         * @description Type of the chain.
         * @example ethereum
         * @enum {string}
         */
        ChainName: "solana" | "ethereum";
        /**
         * @description Network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.
         * @example sepolia
         * @enum {string}
         */
        NetworkName: "mainnet-beta" | "devnet" | "mainnet" | "sepolia" | "polygonAmoy" | "polygonMainnet" | "polygonZKEVM" | "polygonZKEVMTestnet" | "optimismSepolia" | "optimismMainnet" | "arbitrumSepolia" | "arbitrumMainnet" | "avalancheCChain" | "avalancheCChainFuji" | "xdcMainnet" | "xdcApothem" | "fantomMainnet" | "fantomTestnet" | "baseSepolia" | "baseMainnet" | "bscMainnet" | "bscTestnet" | "xlayerMainnet" | "xlayerTestnet" | "unichainMainnet" | "unichainSepolia" | "sonicMainnet" | "sonicTestnet";
        /**
         * @description A wallet: on Ethereum-type networks `0x` and 40 hex digits, in mixed case only with a valid EIP-55 checksum, and not the zero address; on Solana base58 of 32 bytes.
         * @example 0x52908400098527886E0F7030069857D2E4169EE7
         * @example 7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV
         */
        Wallet: string;
        /** @description For which wallet a pass is to be issued. */
        IssueRequest: {
            walletAddress: components["schemas"]["Wallet"];
        };
        /** @description `state`, `expiryTimestamp` (not with `REVOKED`) or both; what is not there stays as it is. */
        UpdateRequest: {
            /**
             * @description What the pass shall be: `ACTIVE` unfreezes it, `REVOKED` is final.
             * @example FROZEN
             * @enum {string}
             */
            state?: "ACTIVE" | "FROZEN" | "REVOKED";
            /**
             * Format: int64
             * @description When the pass shall expire: Unix seconds, to come. An expiry cannot be taken away.
             * @example 2208988800
             */
            expiryTimestamp?: number;
        };
        /** @description Which passes, and how many. No body at all is `{}`. */
        SearchRequest: {
            /**
             * Format: int32
             * @description How many passes at the most.
             * @default 20
             * @example 20
             */
            limit?: number;
            /**
             * Format: int32
             * @description How many passes to leave out. Not with `after`, which costs less.
             * @example 0
             */
            skip?: number;
            /**
             * Format: uuid
             * @description Id of the last pass you have: those behind it. Not with `skip`. Costs the same at any depth.
             * @example 01a1f8a0-6cfb-7613-a30a-0ccef041f58c
             */
            after?: string;
            filter?: components["schemas"]["PassFilter"];
        };
        /** @description What the passes must have; nothing: all of them. */
        PassFilter: {
            /**
             * @description The `state` of the passes.
             * @example ACTIVE
             * @enum {string}
             */
            state?: "REQUESTED" | "ACTIVE" | "FROZEN" | "REVOKED" | "REJECTED";
            walletAddress?: components["schemas"]["Wallet"];
        };
    };
    responses: never;
    parameters: {
        /** @description The newest bookmark you have: what comes back is at least what it has seen, your own changes among it. What is no bookmark does no harm. */
        "Gatepass-Bookmark": string;
        /** @description `wait=N` (RFC 7240): the answer may come up to N seconds later, as soon as the pass has settled, else with the pass as it is then. More than 20 is taken as 20. Without it the answer comes at once. */
        Prefer: string;
        /** @description The `ETag` of the pass you have (RFC 9110): 304 without a body when it is still the same. */
        "If-None-Match": string;
    };
    requestBodies: never;
    headers: {
        /** @description Names the request in the log of the service: tell it to the operator when you ask for help. */
        "X-Request-Id": string;
        /** @description That `Prefer: wait` was honoured, and with how many seconds (RFC 7240); missing where it was not. */
        "Preference-Applied": string;
        /** @description What is wrong with the access token (RFC 6750), and where to learn whose are taken (RFC 9728). */
        "WWW-Authenticate": string;
        /** @description After how many seconds another try makes sense. */
        "Retry-After": number;
        /** @description How far whoever has this answer has seen the passes. Send the newest you have with the next request that reads, and you see at least as much. Opaque. */
        "Gatepass-Bookmark": string;
        /** @description Names this state of the pass (RFC 9110): send it as `If-None-Match` to hear only of a newer one. */
        ETag: string;
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
            /** @description It does. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok"
                     *     }
                     */
                    "application/json": components["schemas"]["Health"];
                };
            };
            /** @description `rate_limited`: Try again after the time in Retry-After. */
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
            /** @description `internal_error`: Something went wrong here. It has been recorded. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `temporarily_unavailable`: Try again in a moment. */
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
            /** @description `rate_limited`: Try again after the time in Retry-After. */
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
            /** @description `internal_error`: Something went wrong here. It has been recorded. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `temporarily_unavailable`: Try again in a moment. */
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
    searchPasses: {
        parameters: {
            query?: never;
            header?: {
                /** @description The newest bookmark you have: what comes back is at least what it has seen, your own changes among it. What is no bookmark does no harm. */
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
            /** @description What was found. */
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
             * @description `invalid_json`: The body is not valid JSON.
             *
             *     `invalid_request`: The request does not have the form it must have.
             *
             *     `invalid_wallet`: The wallet address is malformed.
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
            /**
             * @description `token_missing`: Send "Authorization: Bearer \<access token>".
             *
             *     `token_invalid`: The access token is not valid.
             */
            401: {
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
             * @description `insufficient_scope`: The access token lacks the scope.
             *
             *     `client_unknown`: The client is not registered as a partner.
             *
             *     `partner_suspended`: The partner is suspended.
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
            /** @description `body_timeout`: The body did not arrive within 10 seconds. Send the request again. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_too_large`: The body is larger than 16 KiB. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Try again after the time in Retry-After. */
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
            /** @description `internal_error`: Something went wrong here. It has been recorded. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `temporarily_unavailable`: Try again in a moment. */
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
    issuePass: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` (RFC 7240): the answer may come up to N seconds later, as soon as the pass has settled, else with the pass as it is then. More than 20 is taken as 20. Without it the answer comes at once. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Type of the chain.
                 * @example ethereum
                 */
                chain: components["schemas"]["ChainName"];
                /**
                 * @description Network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.
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
            /** @description The pass as it stands. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PassRecord"];
                };
            };
            /**
             * @description `invalid_json`: The body is not valid JSON.
             *
             *     `invalid_request`: The request does not have the form it must have.
             *
             *     `unknown_network`: There is no such chain and network.
             *
             *     `invalid_wallet`: The wallet address is malformed.
             *
             *     `network_not_enabled`: That network is not enabled in this service at present.
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
            /**
             * @description `token_missing`: Send "Authorization: Bearer \<access token>".
             *
             *     `token_invalid`: The access token is not valid.
             */
            401: {
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
             * @description `insufficient_scope`: The access token lacks the scope.
             *
             *     `client_unknown`: The client is not registered as a partner.
             *
             *     `partner_suspended`: The partner is suspended.
             *
             *     `network_not_allowed`: The partner may not issue passes on that network.
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
            /** @description `body_timeout`: The body did not arrive within 10 seconds. Send the request again. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `pass_frozen`: The pass is there, and frozen: it is not issued again but unfrozen, with PATCH.
             *
             *     `pass_revoked`: The pass was revoked, and that is final: it cannot be issued again or changed.
             *
             *     `pass_expired`: The pass has expired, and passes of this partner have no default lifetime: set a new expiry with PATCH.
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
            /** @description `body_too_large`: The body is larger than 16 KiB. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `rate_limited`: Try again after the time in Retry-After.
             *
             *     `quota_reached`: The passes that this partner may issue in a day are used up. The next day begins at midnight UTC.
             *
             *     `change_quota_reached`: The partner has used up its changes of the day. The next day begins at midnight UTC. A pass can always be revoked.
             *
             *     `pass_change_limit_reached`: The pass was changed as often as it may be in a day. The next day begins at midnight UTC. It can always be revoked.
             *
             *     `waiting_limit_reached`: Too many requests of the partner wait to be carried out on this network. Try again after the time in Retry-After. Passes can always be frozen and revoked.
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
            /** @description `internal_error`: Something went wrong here. It has been recorded. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `temporarily_unavailable`: Try again in a moment. */
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
    getPass: {
        parameters: {
            query?: never;
            header?: {
                /** @description The newest bookmark you have: what comes back is at least what it has seen, your own changes among it. What is no bookmark does no harm. */
                "Gatepass-Bookmark"?: components["parameters"]["Gatepass-Bookmark"];
                /** @description `wait=N` (RFC 7240): the answer may come up to N seconds later, as soon as the pass has settled, else with the pass as it is then. More than 20 is taken as 20. Without it the answer comes at once. */
                Prefer?: components["parameters"]["Prefer"];
                /** @description The `ETag` of the pass you have (RFC 9110): 304 without a body when it is still the same. */
                "If-None-Match"?: components["parameters"]["If-None-Match"];
            };
            path: {
                /**
                 * @description Type of the chain.
                 * @example ethereum
                 */
                chain: components["schemas"]["ChainName"];
                /**
                 * @description Network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.
                 * @example sepolia
                 */
                chainNetwork: components["schemas"]["NetworkName"];
                /**
                 * @description A wallet: on Ethereum-type networks `0x` and 40 hex digits, in mixed case only with a valid EIP-55 checksum, and not the zero address; on Solana base58 of 32 bytes.
                 * @example 0x52908400098527886E0F7030069857D2E4169EE7
                 */
                wallet: components["schemas"]["Wallet"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pass. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    ETag: components["headers"]["ETag"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PassRecord"];
                };
            };
            /** @description The pass is still the one of `If-None-Match`. */
            304: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    ETag: components["headers"]["ETag"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `unknown_network`: There is no such chain and network.
             *
             *     `invalid_wallet`: The wallet address is malformed.
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
            /**
             * @description `token_missing`: Send "Authorization: Bearer \<access token>".
             *
             *     `token_invalid`: The access token is not valid.
             */
            401: {
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
             * @description `insufficient_scope`: The access token lacks the scope.
             *
             *     `client_unknown`: The client is not registered as a partner.
             *
             *     `partner_suspended`: The partner is suspended.
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
            /** @description `pass_not_found`: The wallet has no pass on that chain and network. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Try again after the time in Retry-After. */
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
            /** @description `internal_error`: Something went wrong here. It has been recorded. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `temporarily_unavailable`: Try again in a moment. */
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
    revokePass: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` (RFC 7240): the answer may come up to N seconds later, as soon as the pass has settled, else with the pass as it is then. More than 20 is taken as 20. Without it the answer comes at once. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Type of the chain.
                 * @example ethereum
                 */
                chain: components["schemas"]["ChainName"];
                /**
                 * @description Network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.
                 * @example sepolia
                 */
                chainNetwork: components["schemas"]["NetworkName"];
                /**
                 * @description A wallet: on Ethereum-type networks `0x` and 40 hex digits, in mixed case only with a valid EIP-55 checksum, and not the zero address; on Solana base58 of 32 bytes.
                 * @example 0x52908400098527886E0F7030069857D2E4169EE7
                 */
                wallet: components["schemas"]["Wallet"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pass as it stands. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PassRecord"];
                };
            };
            /**
             * @description `unknown_network`: There is no such chain and network.
             *
             *     `invalid_wallet`: The wallet address is malformed.
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
            /**
             * @description `token_missing`: Send "Authorization: Bearer \<access token>".
             *
             *     `token_invalid`: The access token is not valid.
             */
            401: {
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
             * @description `insufficient_scope`: The access token lacks the scope.
             *
             *     `client_unknown`: The client is not registered as a partner.
             *
             *     `partner_suspended`: The partner is suspended.
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
            /** @description `pass_not_found`: The wallet has no pass on that chain and network. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `pass_rejected`: The chain refused the issuance, so there is nothing to change. Its last event says why; POST tries again. */
            409: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Try again after the time in Retry-After. */
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
            /** @description `internal_error`: Something went wrong here. It has been recorded. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `temporarily_unavailable`: Try again in a moment. */
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
    updatePass: {
        parameters: {
            query?: never;
            header?: {
                /** @description `wait=N` (RFC 7240): the answer may come up to N seconds later, as soon as the pass has settled, else with the pass as it is then. More than 20 is taken as 20. Without it the answer comes at once. */
                Prefer?: components["parameters"]["Prefer"];
            };
            path: {
                /**
                 * @description Type of the chain.
                 * @example ethereum
                 */
                chain: components["schemas"]["ChainName"];
                /**
                 * @description Network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.
                 * @example sepolia
                 */
                chainNetwork: components["schemas"]["NetworkName"];
                /**
                 * @description A wallet: on Ethereum-type networks `0x` and 40 hex digits, in mixed case only with a valid EIP-55 checksum, and not the zero address; on Solana base58 of 32 bytes.
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
            /** @description The pass as it stands. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    "Preference-Applied": components["headers"]["Preference-Applied"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UpdatedPass"];
                };
            };
            /**
             * @description `invalid_json`: The body is not valid JSON.
             *
             *     `invalid_request`: The request does not have the form it must have.
             *
             *     `unknown_network`: There is no such chain and network.
             *
             *     `invalid_wallet`: The wallet address is malformed.
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
            /**
             * @description `token_missing`: Send "Authorization: Bearer \<access token>".
             *
             *     `token_invalid`: The access token is not valid.
             */
            401: {
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
             * @description `insufficient_scope`: The access token lacks the scope.
             *
             *     `client_unknown`: The client is not registered as a partner.
             *
             *     `partner_suspended`: The partner is suspended.
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
            /** @description `pass_not_found`: The wallet has no pass on that chain and network. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `body_timeout`: The body did not arrive within 10 seconds. Send the request again. */
            408: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `pass_revoked`: The pass was revoked, and that is final: it cannot be issued again or changed.
             *
             *     `pass_rejected`: The chain refused the issuance, so there is nothing to change. Its last event says why; POST tries again.
             *
             *     `issued_by_another_gatekeeper`: On this chain only the key that issued a pass can freeze and unfreeze it, and this service does not have it.
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
            /** @description `body_too_large`: The body is larger than 16 KiB. */
            413: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `unsupported_media_type`: The body must be application/json. */
            415: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /**
             * @description `rate_limited`: Try again after the time in Retry-After.
             *
             *     `change_quota_reached`: The partner has used up its changes of the day. The next day begins at midnight UTC. A pass can always be revoked.
             *
             *     `pass_change_limit_reached`: The pass was changed as often as it may be in a day. The next day begins at midnight UTC. It can always be revoked.
             *
             *     `waiting_limit_reached`: Too many requests of the partner wait to be carried out on this network. Try again after the time in Retry-After. Passes can always be frozen and revoked.
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
            /** @description `internal_error`: Something went wrong here. It has been recorded. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `temporarily_unavailable`: Try again in a moment. */
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
    syncPass: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description Type of the chain.
                 * @example ethereum
                 */
                chain: components["schemas"]["ChainName"];
                /**
                 * @description Network of the chain: `solana` has `mainnet-beta` and `devnet`, `ethereum` the other 26.
                 * @example sepolia
                 */
                chainNetwork: components["schemas"]["NetworkName"];
                /**
                 * @description A wallet: on Ethereum-type networks `0x` and 40 hex digits, in mixed case only with a valid EIP-55 checksum, and not the zero address; on Solana base58 of 32 bytes.
                 * @example 0x52908400098527886E0F7030069857D2E4169EE7
                 */
                wallet: components["schemas"]["Wallet"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pass as it is then. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "Gatepass-Bookmark": components["headers"]["Gatepass-Bookmark"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PassRecord"];
                };
            };
            /**
             * @description `unknown_network`: There is no such chain and network.
             *
             *     `invalid_wallet`: The wallet address is malformed.
             *
             *     `network_not_enabled`: That network is not enabled in this service at present.
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
            /**
             * @description `token_missing`: Send "Authorization: Bearer \<access token>".
             *
             *     `token_invalid`: The access token is not valid.
             */
            401: {
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
             * @description `insufficient_scope`: The access token lacks the scope.
             *
             *     `client_unknown`: The client is not registered as a partner.
             *
             *     `partner_suspended`: The partner is suspended.
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
            /** @description `pass_not_found`: The wallet has no pass on that chain and network. */
            404: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `rate_limited`: Try again after the time in Retry-After. */
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
            /** @description `internal_error`: Something went wrong here. It has been recorded. */
            500: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            /** @description `temporarily_unavailable`: Try again in a moment. */
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
}
