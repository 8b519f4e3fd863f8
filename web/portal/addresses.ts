/** The campaign of a join path: undefined when it has none, null when the path is not a join path. */
export function joinAddress(page: string): { campaignSlug: string | undefined } | null {
  const join = /^\/join(?:\/([a-z0-9-]+)(?:\/[\w-]+)?)?$/.exec(page)
  return join && { campaignSlug: join[1] }
}

/** The referral of a `/referrals/{id}` path. */
export function referralAddress(page: string): number | undefined {
  const id = /^\/referrals\/([1-9]\d{0,14})$/.exec(page)?.[1]
  return id === undefined ? undefined : Number(id)
}
