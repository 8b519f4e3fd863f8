import { createTheme, type MantineColorsTuple } from '@mantine/core'
import { mix, readableOn, textOn } from '@tributary/contract/portal/brand-colour'
import { theme } from '../ui/theme.ts'

const DARK_PAGE = '#242424'

/** The ten shades Mantine expects, from nearly white to nearly black, derived from the company's colour. */
function shadesOf(colour: string): MantineColorsTuple {
  // For buttons and coloured text on white: the colour itself, or the nearest readable one.
  const readable = readableOn('#ffffff', colour)
  return [
    mix(colour, '#ffffff', 0.92),
    mix(colour, '#ffffff', 0.82),
    mix(colour, '#ffffff', 0.65),
    mix(colour, '#ffffff', 0.48),
    // Coloured text on a dark page.
    readableOn(DARK_PAGE, mix(colour, '#ffffff', 0.3)),
    mix(colour, '#ffffff', 0.15),
    colour,
    readable,
    mix(readable, '#000000', 0.12),
    // Text on a tint of the colour.
    mix(readable, '#000000', 0.3),
  ]
}

export const brandTheme = (colour: string) =>
  createTheme({
    ...theme,
    primaryColor: 'brand',
    primaryShade: 7,
    colors: { ...theme.colors, brand: shadesOf(colour) },
    autoContrast: textOn(readableOn('#ffffff', colour)) !== '#ffffff',
  })
