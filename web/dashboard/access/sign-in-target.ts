/** Where to go after the sign-in. Only a page of this dashboard: an address from elsewhere must not become a way out. */
export const signInTarget = (from: string | undefined) =>
  from?.startsWith('/dashboard/') ? from : '/dashboard/'
