// What the documentation's pages do with scripts; without them, every page can be read and searched all the same.

/** Copies an example. */
for (const block of document.querySelectorAll('main pre')) {
  const button = document.createElement('button')
  button.type = 'button'
  button.className = 'copy'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    const text = block.textContent.trimEnd()
    try {
      await navigator.clipboard.writeText(text)
    } catch {
      // Without TLS there is no clipboard for scripts; the selection can be copied all the same.
      getSelection().selectAllChildren(block)
      if (!document.execCommand('copy')) return
    }
    button.textContent = 'Copied'
    setTimeout(() => {
      button.textContent = 'Copy'
    }, 1500)
  })
  const box = document.createElement('div')
  box.className = 'with-copy'
  block.replaceWith(box)
  box.append(block, button)
}

/** A language that is chosen once is shown in every example. */
const STORED = 'tributary-docs-language'
const inLanguage = language => document.querySelectorAll(`details[data-language="${language}"]`)
const stored = (() => {
  try {
    return localStorage.getItem(STORED)
  } catch {
    return null
  }
})()
if (/^\w+$/.test(stored ?? '')) for (const sample of inLanguage(stored)) sample.open = true
for (const summary of document.querySelectorAll('details[data-language] > summary'))
  summary.addEventListener('click', event => {
    event.preventDefault()
    const { language } = summary.parentElement.dataset
    const before = summary.getBoundingClientRect().top
    for (const sample of inLanguage(language)) sample.open = true
    // The examples above may have become longer; what was clicked stays where it was.
    scrollBy(0, summary.getBoundingClientRect().top - before)
    try {
      localStorage.setItem(STORED, language)
    } catch {
      // Not stored where the browser does not allow it.
    }
  })

/** Results while typing. Enter opens the page of all of them. */
const TYPING_MS = 120
const input = document.querySelector('.search input')
const found = document.createElement('div')
found.className = 'found'
found.hidden = true
found.setAttribute('role', 'region')
found.setAttribute('aria-label', 'Search results')
found.setAttribute('aria-live', 'polite')
input.after(found)
let typing
let asking

async function answer(text) {
  asking?.abort()
  asking = new AbortController()
  try {
    const response = await fetch(`/docs/search?q=${encodeURIComponent(text)}`, { signal: asking.signal })
    if (!response.ok) return
    const page = new DOMParser().parseFromString(await response.text(), 'text/html')
    const list = page.querySelector('main .results')
    if (list?.children.length) found.replaceChildren(...[...list.children].slice(0, 8).map(asLine))
    else found.replaceChildren('No results')
    found.hidden = false
  } catch {
    // Typed on, or offline: Enter still searches.
  }
}

function asLine(item) {
  const link = document.importNode(item.querySelector('a'), true)
  link.className = 'found-line'
  const guide = document.createElement('span')
  guide.className = 'found-guide'
  guide.textContent = item.querySelector('.muted')?.textContent ?? ''
  link.append(guide)
  return link
}

function close() {
  clearTimeout(typing)
  asking?.abort()
  found.hidden = true
}

input.addEventListener('input', () => {
  clearTimeout(typing)
  const text = input.value.trim()
  if (text.length < 2) close()
  else typing = setTimeout(answer, TYPING_MS, text)
})
input.form.addEventListener('keydown', event => {
  const lines = [...found.querySelectorAll('a')]
  if (event.key === 'Escape') close()
  if (found.hidden || !['ArrowDown', 'ArrowUp'].includes(event.key)) return
  event.preventDefault()
  const at = lines.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)
  ;(lines[at] ?? input).focus()
})
found.addEventListener('click', close)
document.addEventListener('click', event => {
  if (!input.form.contains(event.target)) close()
})
