/** The campaign that a join address names: undefined where it names none, null where it is no join address. */
export function joinAddress(page: string): { campaignSlug: string | undefined } | null {
  const join = /^\/join(?:\/([a-z0-9-]+)(?:\/[\w-]+)?)?$/.exec(page)
  return join && { campaignSlug: join[1] }
}

/** The referral whose page this is. */
export function referralAddress(page: string): number | undefined {
  const id = /^\/referrals\/([1-9]\d{0,14})$/.exec(page)?.[1]
  return id === undefined ? undefined : Number(id)
}
