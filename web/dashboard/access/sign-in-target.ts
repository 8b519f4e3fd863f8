/** Where to go after sign-in. Only dashboard pages are accepted, so the parameter is not an open redirect. */
export const signInTarget = (from: string | undefined) =>
  from?.startsWith('/dashboard/') ? from : '/dashboard/'
