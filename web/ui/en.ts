/** Text that the dashboard and the portal share, in English. */
export const texts = {
  close: 'Close',
  errors: {
    unreachable: "Can't reach the server. Check your connection and try again.",
    unexplained: (status: number) => `The server returned an error (${status}). Try again in a moment.`,
  },
}
