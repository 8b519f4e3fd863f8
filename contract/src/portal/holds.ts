/** How many clearing dates a portal's home lists one by one; what clears later is summed up in one more line. */
export const LISTED_HOLD_DAYS = 12
