/** One sum per currency, in order of first occurrence: amounts in different currencies can't be added up. */
export function sumsByCurrency(
  amounts: Iterable<{ currency: string; amount_minor: number }>,
): [string, number][] {
  const sums = new Map<string, number>()
  for (const { currency, amount_minor } of amounts)
    sums.set(currency, (sums.get(currency) ?? 0) + amount_minor)
  return [...sums]
}
