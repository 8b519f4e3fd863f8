// Tributary's tracker, for the merchant's own pages:
//   <script src="https://…/tracker.js" data-account="acme" async></script>
// Stores the affiliate link that brought a visitor in a first-party cookie for the campaign's attribution window, and adds the click
// to Stripe and Paddle checkouts. Elsewhere, read it when the visitor converts: tributary.clickId()
;(() => {
  const script = document.currentScript
  const account = script?.dataset.account
  // A template and a tag manager may both load it, which would be two visitors with a click each.
  const running = window.tributary?.account
  if (running && (!account || running === account)) return
  const COOKIE = 'tributary'
  const VISITOR = `${COOKIE}_visitor`
  const UNSENT = 'tributary_unsent'
  const MOST_TRIES = 5
  const YEAR_SECONDS = 365 * 24 * 60 * 60
  // Honours Global Privacy Control.
  const isOn = account && script.src && !navigator.globalPrivacyControl

  const readAll = name =>
    document.cookie
      .split('; ')
      .filter(pair => pair.startsWith(`${name}=`))
      .map(pair => pair.slice(name.length + 1))
  const read = name => readAll(name)[0]
  const write = (name, value, seconds, domain) => {
    const secure = location.protocol === 'https:' ? '; Secure' : ''
    const shared = domain ? `; Domain=${domain}` : ''
    // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API.
    document.cookie = `${name}=${value}; Max-Age=${seconds}; Path=/; SameSite=Lax${secure}${shared}`
  }
  // The shortest domain that the browser accepts cookies for: shop.example of www.shop.example, and neither .com nor .co.uk.
  const widestDomain = () => {
    const labels = location.hostname.split('.')
    const probe = `${COOKIE}_probe`
    for (let count = 1; count <= labels.length; count++) {
      const domain = labels.slice(-count).join('.')
      write(probe, 1, 9, domain)
      if (!read(probe)) continue
      write(probe, '', 0, domain)
      return domain
    }
  }
  // The host's cookie and the shared one exist side by side, so the other one is removed.
  const keep = (name, value, seconds, isShared) => {
    const domain = widestDomain()
    write(name, '', 0)
    write(name, '', 0, domain)
    write(name, value, seconds, isShared && domain)
  }
  const keepBoth = (click, visitor, seconds, isShared) => {
    keep(COOKIE, click, seconds, isShared)
    keep(VISITOR, visitor, Math.max(seconds, YEAR_SECONDS), isShared)
  }
  // Anything else in the cookie or the query is not an id: other scripts and people write there too.
  const idIn = text => (/^[1-9]\d{0,14}$/.test(text) ? Number(text) : null)
  // The newest: a host may have a cookie from before they were shared.
  const clickId = () => Math.max(0, ...readAll(COOKIE).map(idIn)) || null

  // The click that the service has not confirmed, for the next pages of this session. Blocked storage throws.
  const storage = change => {
    try {
      return change(sessionStorage)
    } catch {}
  }
  const setUnsent = unsent =>
    storage(store => (unsent ? store.setItem(UNSENT, JSON.stringify(unsent)) : store.removeItem(UNSENT)))
  const unsent = storage(store => JSON.parse(store.getItem(UNSENT)))

  // Not crypto.randomUUID(), which plain http pages lack.
  const randomId = () =>
    [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, '0')).join('')
  // The two cookies are written together, so the newest click and its visitor have the same place.
  const visitorOfClick = () => readAll(VISITOR)[Math.max(0, readAll(COOKIE).map(idIn).indexOf(clickId()))]
  let known = visitorOfClick()
  // Cookies of the host from before they were shared are sent first, so the backend would read them.
  if (isOn && (readAll(COOKIE)[1] || readAll(VISITOR)[1])) {
    const newest = clickId()
    write(COOKIE, '', 0)
    write(VISITOR, '', 0)
    if (clickId() === newest) known = visitorOfClick() || known
    else {
      known ||= randomId()
      keepBoth(newest, known, YEAR_SECONDS, true)
    }
  }
  // That of a click whose response was lost: it may have been recorded.
  const visitor = [known, unsent?.visitor].find(id => /^[0-9a-f]{32}$/.test(id)) || randomId()

  // As text, so that the browser asks for no permission first.
  const send = (path, body) =>
    fetch(new URL(path, script.src), {
      method: 'POST',
      body: JSON.stringify({ account, visitor_id: visitor, ...body }),
      keepalive: true,
      credentials: 'omit',
    }).then(response =>
      response.ok ? response.json() : Promise.reject(new Error(`HTTP ${response.status}`)),
    )
  // Must not break the merchant's page; the reason is in the console.
  const warn = (what, error) => console.warn(`Tributary could not record the ${what}: ${error.message}`)

  // What the script wrote itself, and may change; what the page set is left alone.
  const written = new WeakMap()
  const isFree = (element, value) => !value || written.get(element) === value
  const decorate = () => {
    const id = clickId()
    if (!id) return
    // A number alone could be the page's own ID of the customer.
    const ours = `tributary_${id}`
    for (const link of document.querySelectorAll('a[href*=".stripe.com/"],a[data-tributary]')) {
      const name = 'client_reference_id'
      const isCheckout = /^(buy|donate|book)\.stripe\.com$/.test(link.hostname) || 'tributary' in link.dataset
      // A link in an SVG has no such parts.
      if (!isCheckout || !('search' in link)) continue
      // As text: the rest of the query stays as it is written.
      const pairs = link.search.slice(1).split('&')
      const isReference = pair => pair.startsWith(`${name}=`)
      if (!isFree(link, pairs.find(isReference))) continue
      const reference = `${name}=${ours}`
      const search = `?${[...pairs.filter(pair => pair && !isReference(pair)), reference].join('&')}`
      if (link.search !== search) link.search = search
      written.set(link, reference)
    }
    for (const table of document.querySelectorAll('stripe-pricing-table,stripe-buy-button')) {
      const name = 'client-reference-id'
      const current = table.getAttribute(name)
      if (!isFree(table, current) || current === ours) continue
      table.setAttribute(name, ours)
      written.set(table, ours)
    }
    for (const button of document.querySelectorAll('.paddle_button')) {
      const { dataset } = button
      try {
        const data = JSON.parse(dataset.customData || '{}')
        // A transaction made on the server has its own custom data, which would be replaced.
        if (dataset.transactionId || !isFree(button, data.tributary_click_id)) continue
        dataset.customData = JSON.stringify(withClick(data))
        written.set(button, `${id}`)
      } catch {
        // Data of the page that is no JSON: Paddle reports it, and the button stays as it is.
      }
    }
    addToPaddle()
  }
  const withClick = data => ({ ...data, tributary_click_id: `${clickId()}` })
  const isOpen = options => options && !options.transactionId && !options.customData?.tributary_click_id
  const addToPaddle = () => {
    const checkout = window.Paddle?.Checkout
    if (!checkout?.open || written.has(checkout)) return
    written.set(checkout, '')
    const { open } = checkout
    checkout.open = (options, ...rest) =>
      open.call(
        checkout,
        clickId() && isOpen(options) ? { ...options, customData: withClick(options.customData) } : options,
        ...rest,
      )
  }
  let isWatching = false
  const watch = () => {
    decorate()
    if (isWatching || !clickId()) return
    isWatching = true
    let isDue = false
    // Once for all changes that come together.
    const soon = () => {
      if (!isDue) setTimeout(run)
      isDue = true
    }
    const run = () => {
      isDue = false
      decorate()
    }
    new MutationObserver(soon).observe(document, {
      childList: true,
      subtree: true,
      attributes: true,
      attributeFilter: ['href'],
    })
    // Scripts that load later, such as Paddle's.
    document.addEventListener('load', addToPaddle, true)
  }

  const query = new URLSearchParams(location.search)
  const token = query.get('via') || query.get('ref')
  const fromLink = idIn(query.get('click_id'))
  const SEEN = `tributary_seen ${token}`
  const record = (visit, tries) => {
    // A visit with nothing but a token would be one more click each time.
    setUnsent(visit.click_id && tries < MOST_TRIES && { visit, visitor, tries })
    return send('/t/clicks', visit)
      .then(({ click_id, expires_in, shares_subdomains }) => {
        setUnsent()
        if (token) storage(store => store.setItem(SEEN, 1))
        keepBoth(click_id, visitor, expires_in, shares_subdomains)
        return click_id
      })
      .catch(error => {
        // Refused: it would be again.
        if (/^HTTP 4/.test(error.message)) setUnsent()
        warn('click', error)
        return clickId()
      })
  }
  let recorded = Promise.resolve(clickId())
  // The visitor didn't follow the link a second time, so it must not overtake the clicks since. Unless a token wasn't recorded the first time: it
  // isn't sent again elsewhere, as a click is.
  const isReturn =
    /^(reload|back_forward)$/.test(performance.getEntriesByType('navigation')[0]?.type) &&
    (fromLink || !storage(store => !store.getItem(SEEN)))
  if (isOn && (token || fromLink)) {
    if (!(fromLink && fromLink === clickId()) && !(isReturn && fromLink < clickId()))
      recorded = record(
        {
          url: location.href.slice(0, 2048),
          ...(token && { token }),
          ...(fromLink && { click_id: fromLink }),
          ...(script.dataset.campaign && { campaign: script.dataset.campaign }),
          ...(document.referrer && { referrer: document.referrer.slice(0, 2048) }),
        },
        1,
      )
    // Unless another tab has recorded it, or a newer one.
  } else if (isOn && unsent?.visit?.click_id > clickId()) recorded = record(unsent.visit, unsent.tries + 1)

  // `ready` resolves with the click once it is recorded; clickId() returns the current value of the cookie. `lead` resolves with
  // whether the email was linked to the click.
  window.tributary = window.Tributary = {
    account: isOn && account,
    clickId,
    ready: () => recorded,
    lead: email =>
      recorded
        .then(click_id => (isOn && click_id ? send('/t/leads', { click_id, email }).then(() => true) : false))
        .catch(error => {
          warn('lead', error)
          return false
        }),
  }
  if (isOn) {
    watch()
    void recorded.then(watch)
  }
})()
