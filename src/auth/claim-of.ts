/**
 * Returns the claim with this name; undefined if there is none. A name with dots may also be a path through objects, as
 * `realm_access.roles` of Keycloak. A longer name of a single member goes first, because names such as `https://acme.com/roles`
 * have dots too.
 */
export function claimOf(claims: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  for (let dot = name.lastIndexOf('.'); dot > 0; dot = name.lastIndexOf('.', dot - 1)) {
    const parent = name.slice(0, dot);
    const members = Object.hasOwn(claims, parent) ? claims[parent] : undefined;
    if (!isObject(members)) continue;
    const found = claimOf(members, name.slice(dot + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
