// Tributary's tracker, for the merchant's own pages:
//   <script src="https://…/tracker.js" data-account="acme" async></script>
// Stores the affiliate link that brought a visitor in a first-party cookie for the campaign's attribution window.
// Read it back when the visitor converts: window.Tributary.clickId()
;(() => {
  const script = document.currentScript
  const account = script?.dataset.account
  const COOKIE = 'tributary'
  const YEAR_SECONDS = 365 * 24 * 60 * 60

  const read = name => {
    const found = document.cookie.split('; ').find(pair => pair.startsWith(`${name}=`))
    return found?.slice(name.length + 1)
  }
  const write = (name, value, seconds) => {
    const secure = location.protocol === 'https:' ? '; Secure' : ''
    // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API.
    document.cookie = `${name}=${value}; Max-Age=${seconds}; Path=/; SameSite=Lax${secure}`
  }
  // Anything else in the cookie or the query is not an id: other scripts and people write there too.
  const idIn = text => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : null)
  const clickId = () => idIn(read(COOKIE))

  // Not crypto.randomUUID(), which plain http pages lack.
  const randomId = () =>
    [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')

  let recorded = Promise.resolve(clickId())
  // `ready` resolves with the click once it is recorded; clickId() returns the current value of the cookie.
  window.Tributary = { clickId, ready: () => recorded }

  const query = new URLSearchParams(location.search)
  const token = query.get('via') || query.get('ref')
  const fromLink = idIn(query.get('click_id'))
  // Honours Global Privacy Control.
  if (!account || !script.src || (!token && !fromLink) || navigator.globalPrivacyControl) return
  if (fromLink && fromLink === clickId()) return

  const known = read(`${COOKIE}_visitor`)
  const visitor = /^[0-9a-f]{32}$/.test(known) ? known : randomId()
  const beacon = {
    account,
    visitor_id: visitor,
    url: location.href.slice(0, 2048),
    ...(token && { token }),
    ...(fromLink && { click_id: fromLink }),
    ...(script.dataset.campaign && { campaign: script.dataset.campaign }),
    ...(document.referrer && { referrer: document.referrer.slice(0, 2048) }),
  }
  recorded = fetch(new URL('/t/clicks', script.src), {
    method: 'POST',
    body: JSON.stringify(beacon),
    keepalive: true,
    credentials: 'omit',
  })
    .then(response => (response.ok ? response.json() : Promise.reject(new Error(`HTTP ${response.status}`))))
    .then(({ click_id, expires_in }) => {
      write(COOKIE, click_id, expires_in)
      write(`${COOKIE}_visitor`, visitor, Math.max(expires_in, YEAR_SECONDS))
      return click_id
    })
    .catch(error => {
      // Must not break the merchant's page; the reason is in the console.
      console.warn(`Tributary could not record the click: ${error.message}`)
      return clickId()
    })
})()
