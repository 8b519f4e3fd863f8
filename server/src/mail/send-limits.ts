/** How long a server may take until it has an email. The time-outs of a connection end with every byte; this one ends a server that sends one at a time. */
export const LONGEST_SEND_MS = 60_000

/** How long it may then take to confirm it: servers scan an email first, and one that is left early may deliver it all the same. */
export const LONGEST_REPLY_MS = 240_000

/** A slow server gets the rest of its emails in the next run. */
export const LONGEST_RUN_MS = 30_000

/** No lease ends during a send, or another run would send the email too: the last one may begin just before the run is over. */
export const LEASE_SECONDS = (LONGEST_RUN_MS + LONGEST_SEND_MS + LONGEST_REPLY_MS) / 1000 + 30
