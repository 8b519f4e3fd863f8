import { type Html, html } from './html.ts'

/** The layout of every documentation page: a bar with search, the contents and the text. */
export const framed = ({
  title,
  place,
  contents,
  main,
  query = '',
}: {
  title: string
  place: string
  contents: Html
  main: Html
  query?: string
}): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" type="image/svg+xml" href="/assets/favicon.svg">
<link rel="stylesheet" href="/assets/font.css">
<link rel="stylesheet" href="/assets/style.css">
<script src="/assets/docs.js" defer></script>
</head>
<body class="reference">
<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<a class="brand" href="/docs"><img src="/assets/favicon.svg" alt="" width="24" height="24"> Tributary</a>
<span class="muted">${place}</span>
<form class="search" action="/docs/search" role="search">
<input type="search" name="q" value="${query}" aria-label="Search the documentation" placeholder="Search" maxlength="100" autocomplete="off">
</form>
</header>
<nav class="sidebar" aria-label="Contents">
${contents}
</nav>
<details class="contents" id="contents">
<summary>Contents</summary>
<nav aria-label="Contents">
${contents}
</nav>
</details>
<main id="main" tabindex="-1">
${main}<a class="to-contents" href="#contents">Contents</a>
</main>
</body>
</html>
`.markup
