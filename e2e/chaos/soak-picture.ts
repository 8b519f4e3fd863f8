import type { Sample } from './samples.ts'

const WIDTH = 720
const LEFT = 56
const RIGHT = 32
const PANEL = 150
const GAP = 56
const TOP = 40

interface Line {
  name: string
  className: string
  values: number[]
}

/** Rounds up to a round number: the top of an axis. */
function roundUp(value: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(1, value)))
  return [1, 2, 2.5, 5, 10].map(times => times * step).find(round => round >= value) ?? value
}

function panel(title: string, unit: string, lines: Line[], samples: Sample[], top: number): string {
  const most = roundUp(Math.max(...lines.flatMap(({ values }) => values)))
  const longest = Math.max(...samples.map(({ seconds }) => seconds))
  const x = (seconds: number) => LEFT + (seconds / longest) * (WIDTH - LEFT - RIGHT)
  const y = (value: number) => top + PANEL - (value / most) * PANEL
  const grid = [0, 0.5, 1].map(part => {
    const at = y(part * most)
    return `<path class="grid" d="M${LEFT} ${at}H${WIDTH - RIGHT}"/><text x="${LEFT - 8}" y="${at + 4}" text-anchor="end">${part * most}</text>`
  })
  const minutes = [0, 0.25, 0.5, 0.75, 1].map(part => {
    const seconds = part * longest
    return `<text x="${x(seconds)}" y="${top + PANEL + 18}" text-anchor="middle">${Number((seconds / 60).toFixed(1))} min</text>`
  })
  const drawn = lines.map(({ values, className }) => {
    const points = values.map((value, index) => {
      const { seconds } = samples[index] as Sample
      return `${x(seconds).toFixed(1)},${y(value).toFixed(1)}`
    })
    return `<polyline class="${className}" points="${points.join(' ')}"/>`
  })
  const names = lines.map(
    ({ name, className }, index) =>
      `<path class="${className}" d="M${WIDTH - RIGHT - 90 * (lines.length - index)} ${top - 16}h18"/>` +
      `<text x="${WIDTH - RIGHT - 90 * (lines.length - index) + 24}" y="${top - 12}">${name}</text>`,
  )
  const heading = `<text class="title" x="${LEFT}" y="${top - 12}">${title}, ${unit}</text>`
  return [heading, ...names, ...grid, ...minutes, ...drawn].join('\n  ')
}

/** Memory and latency over time. Displayed as an image, so it includes its colours for light and dark mode. */
export function drawSoak(samples: Sample[], caption: string): string {
  const memory = [{ name: 'resident', className: 'one', values: samples.map(({ memoryMiB }) => memoryMiB) }]
  const latency = [
    { name: 'median', className: 'one', values: samples.map(({ p50Ms }) => p50Ms) },
    { name: 'p99', className: 'two', values: samples.map(({ p99Ms }) => p99Ms) },
  ]
  const height = TOP + 2 * PANEL + GAP + 60
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${caption}">
  <style>
    svg { color: #1f2937; background: #ffffff; font: 12px system-ui, sans-serif }
    text { fill: currentColor }
    .title { font-weight: 600 }
    .grid { stroke: currentColor; stroke-opacity: .2 }
    polyline, .one, .two { fill: none; stroke-width: 2 }
    .one { stroke: #0f766e }
    .two { stroke: #b45309 }
    @media (prefers-color-scheme: dark) {
      svg { color: #e5e7eb; background: #111827 }
      .one { stroke: #5eead4 }
      .two { stroke: #fbbf24 }
    }
  </style>
  ${panel('Memory of the server', 'MiB', memory, samples, TOP)}
  ${panel('Latency of a request', 'ms', latency, samples, TOP + PANEL + GAP)}
  <text x="${LEFT}" y="${height - 12}">${caption}</text>
</svg>
`
}
