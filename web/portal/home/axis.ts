/** The ends of an axis for values up to ten, and for more in units of a power of ten: each half is a whole number as well. */
const SMALL = [1, 2, 4, 6, 8, 10]
const LARGE = [12, 14, 16, 18, 20, 30, 40, 50, 60, 80, 100]

/** The end of an axis that has room for the largest value: a round number. */
export function axisTop(most: number): number {
  let power = 1
  while (most > 100 * power) power *= 10
  const tops = most <= 10 ? SMALL : LARGE
  return power * (tops.find(top => most <= top * power) ?? 100)
}
