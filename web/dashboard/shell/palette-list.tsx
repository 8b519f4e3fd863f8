import './palette.css'
import { Text } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { PaletteGroup, PaletteItem } from './palette-items.ts'

/** The matches by group. The focus stays in the input, which names the active option. */
export function PaletteList({
  id,
  groups,
  activeId,
  onHover,
  onChoose,
}: {
  id: string
  groups: PaletteGroup[]
  activeId: string | undefined
  onHover: (id: string) => void
  onChoose: (item: PaletteItem) => void
}) {
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls when another option becomes active.
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  }, [activeId])
  return (
    <div
      ref={list}
      id={id}
      role="listbox"
      aria-label={groups.map(({ label }) => label).join(', ')}
      className="palette-list"
    >
      {groups.map(({ label, items }) => (
        // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a listbox.
        <div key={label} role="group" aria-label={label}>
          <Text size="xs" c="dimmed" fw={600} px="sm" pt="sm" pb={4} aria-hidden>
            {label}
          </Text>
          {items.map(item => (
            // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus and names the active option.
            // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys.
            <div
              key={item.id}
              id={`palette-${item.id}`}
              role="option"
              aria-selected={item.id === activeId}
              className="palette-option"
              onMouseMove={() => onHover(item.id)}
              onMouseDown={event => event.preventDefault()}
              onClick={() => onChoose(item)}
            >
              <span>{item.label}</span>
              {item.note && (
                <Text span size="xs" c="dimmed">
                  {item.note}
                </Text>
              )}
            </div>
          ))}
        </div>
      ))}
    </div>
  )
}
