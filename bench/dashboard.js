/** A signed-in dashboard user: asks for a path of account 1, or posts to it. */
export async function signIn(url) {
  const post = body => ({
    method: 'POST',
    headers: { origin: url, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const session = await fetch(
    `${url}/dashboard/api/session`,
    post({ email: 'b@example.com', password: 'correct horse' }),
  )
  const cookie = session.headers.get('set-cookie').split(';')[0]
  const { csrf_token } = await (await fetch(`${url}/dashboard/api/session`, { headers: { cookie } })).json()
  return async (path, body) => {
    const { headers, ...change } = body ? post(body) : { headers: {} }
    const response = await fetch(`${url}/dashboard/api/accounts/1/${path}`, {
      ...change,
      headers: { ...headers, cookie, 'tributary-csrf': csrf_token },
    })
    if (!response.ok) throw new Error(`${path} returned ${response.status} ${await response.text()}`)
    return response.json()
  }
}
