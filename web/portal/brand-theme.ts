import { createTheme, type MantineColorsTuple } from '@mantine/core'
import { mix, readableOn, textOn } from '@tributary/contract/portal/brand-colour'
import { theme } from '../ui/theme.ts'

const DARK_PAGE = '#242424'

/** Ten shades of the company's colour, from nearly white to nearly black, as the components want them. */
function shadesOf(colour: string): MantineColorsTuple {
  // Buttons, and text in the colour on white: the colour itself, or the nearest that can be read.
  const readable = readableOn('#ffffff', colour)
  return [
    mix(colour, '#ffffff', 0.92),
    mix(colour, '#ffffff', 0.82),
    mix(colour, '#ffffff', 0.65),
    mix(colour, '#ffffff', 0.48),
    // Text in the colour on a dark page.
    readableOn(DARK_PAGE, mix(colour, '#ffffff', 0.3)),
    mix(colour, '#ffffff', 0.15),
    colour,
    readable,
    mix(readable, '#000000', 0.12),
    // Words on a tint of the colour.
    mix(readable, '#000000', 0.3),
  ]
}

export const brandTheme = (colour: string) =>
  createTheme({
    ...theme,
    primaryColor: 'brand',
    primaryShade: 7,
    colors: { brand: shadesOf(colour) },
    autoContrast: textOn(readableOn('#ffffff', colour)) !== '#ffffff',
  })
