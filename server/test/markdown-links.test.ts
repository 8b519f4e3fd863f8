/** Protects readers of the Markdown files in the checkout: every link between them leads to an existing file and heading. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { docsFolder, projectRoot } from '../src/paths.ts'
import { readGuide } from '../src/tools/docs/guides.ts'

const files = [
  ...readdirSync(projectRoot).filter(name => name.endsWith('.md')),
  'sdk/README.md',
  ...readdirSync(docsFolder)
    .filter(name => name.endsWith('.md'))
    .map(name => `docs/${name}`),
]
/** As GitHub generates them; readGuide reads any Markdown file by its path from docs/. */
const anchorsOf = (file: string) =>
  readGuide(join('..', file).replace(/\.md$/, '')).sections.map(({ anchor }) => anchor)
const withoutCode = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, '')

it.each(files)('the links of %s', file => {
  const text = withoutCode(readFileSync(join(projectRoot, file), 'utf8'))
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string)
  for (const link of links.filter(each => !/^[a-z]+:/.test(each))) {
    const [path = '', anchor] = link.split('#')
    const target = path ? join(dirname(file), path) : file
    expect([link, existsSync(join(projectRoot, target))]).toEqual([link, true])
    if (anchor !== undefined)
      expect([link, anchorsOf(target)]).toEqual([link, expect.arrayContaining([anchor])])
  }
})

it.each(files)('no heading of %s is repeated, so its anchor is unambiguous', file => {
  const anchors = anchorsOf(file)
  expect(anchors.filter((anchor, index) => anchors.indexOf(anchor) !== index)).toEqual([])
})
