/** Returns the claim with this name or path, as the service reads it (`src/auth/claim-of.ts`); undefined if there is none. */
export function claimOf(claims, name = '') {
  if (Object.hasOwn(claims, name)) return claims[name];
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const parent = name.slice(0, dot);
    const members = Object.hasOwn(claims, parent) ? claims[parent] : undefined;
    if (typeof members !== 'object' || members === null || Array.isArray(members)) continue;
    const found = claimOf(members, name.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}
