/**
 * The gatekeepers of the localnet on Solana: public development keys in the 64 bytes of a `solana-keygen` file (seed, public key), in
 * base58. The seed of the first is the SHA-256 of "gatekeeper of the localnet". The others are test vectors of Ed25519 (RFC 8032
 * §7.1). The Worker has the first one by default.
 */
export const SOLANA_GATEKEEPER_KEYS = [
  'yxvjZtYXuS1v7wFEdTSDSehYFxpxYL9w6JtYcPi9wzVvRoQ5uWamvi2S8mqf74kdFeoCGkA13BhujAsEQciFJF6',
  '2Y4QjyJVZf9tTmTPP1SY9ACpFYTo7brW9iCQ8SunQht5yQ2r1U9KsVv5aMsCGnzj3NR8KG9P3NY7FKBiYbbTJ2no',
  '4xDTvTsPP83tEE4h6hMxHRsikH4upVGVsK2ChECxED2nMVGMtVtSMvHpo2z3vCpJeUQDPZQJ6wRZAHzSgkhSCrHS',
  '5v9HRm1hVUhp8W4PprVGMawGbcnbBvDT2pDpYu4CnQaM8NL345qTy5KBWkXUDprYWeVYBzVayn3ePhNQ32xyJ9aD',
] as const;

/** Their addresses, in the same order. */
export const SOLANA_GATEKEEPERS = [
  'EzhebEdoyAn1FPmMs6PLH33GEg8siViQQRmEKCtpFRwS',
  '586Z7H2vpX9qNhN2T4e9Utugie3ogjbxzGaMtM3E6HR5',
  'Hyx62wPQGyvXCoihZq1BrbUjBRh2LuNxWiiqMkfAuSZr',
  '3fD58whN2KJaN9T4r5uE3ELFmzRW1dQNuszrmC6gnhx1',
] as const;
