/** Keeps a portal in a company's own colour readable: there are ten shades with enough contrast for text. */
import { isReadableOnWhite, textOn } from '@tributary/contract/portal/brand-colour'
import { describe, expect, it } from 'vitest'
import { brandTheme } from './brand-theme.ts'

describe.each(['#000000', '#ffffff', '#ffff00', '#12755c', '#ff0000'])('the colour %s', colour => {
  const theme = brandTheme(colour)
  const shades = theme.colors?.brand ?? []

  it('has ten shades, itself the seventh', () => {
    expect(shades).toHaveLength(10)
    expect(shades.filter(shade => !/^#[0-9a-f]{6}$/i.test(shade))).toEqual([])
    expect(shades[6]).toBe(colour)
  })

  it('is readable on white where buttons and text use it', () => {
    expect(isReadableOnWhite(shades[7] as string)).toBe(true)
    expect(theme.primaryShade).toBe(7)
  })

  it('uses dark text only where light text would be unreadable', () => {
    expect(theme.autoContrast).toBe(textOn(shades[7] as string) !== '#ffffff')
  })
})
