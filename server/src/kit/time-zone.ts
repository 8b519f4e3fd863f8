let supported: Set<string> | undefined

/**
 * The name under which Intl lists a time zone; undefined for what is no IANA name, such as an offset or an abbreviation. Browsers
 * report both old and new names (Asia/Calcutta, Asia/Kolkata), while a runtime lists only one of them: so a name counts when the zone
 * that it resolves to is listed.
 */
export function canonicalZone(name: string): string | undefined {
  supported ??= new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])
  if (supported.has(name)) return name
  if (!/^[A-Z][A-Za-z_]+\/[A-Za-z0-9_+/-]+$/.test(name)) return undefined
  try {
    const resolved = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
    return resolved !== 'UTC' && supported.has(resolved) ? resolved : undefined
  } catch {
    return undefined
  }
}
