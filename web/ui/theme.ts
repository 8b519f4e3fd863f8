import { createTheme, type MantineColorsTuple } from '@mantine/core'
import { texts } from './en.ts'

const river: MantineColorsTuple = [
  '#e8f7f3',
  '#d3ebe4',
  '#bfe2d8',
  '#77c2ac',
  '#51b094',
  '#39a585',
  '#2a9a7a',
  '#1c8368',
  '#12755c',
  '#00654e',
]

/** One family of greys for dark pages: text, borders, controls, sheets and ground, from light to dark. */
const slate: MantineColorsTuple = [
  '#dfe3e6',
  '#c3c9ce',
  '#a9b2bb',
  '#7b858e',
  '#3d454c',
  '#333a40',
  '#262c31',
  '#1d2226',
  '#161a1d',
  '#101315',
]

export const theme = createTheme({
  respectReducedMotion: true,
  primaryColor: 'river',
  primaryShade: { light: 8, dark: 7 },
  colors: { river, dark: slate },
  fontFamily: '"Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  defaultRadius: 'md',
  headings: { fontWeight: '650' },
  components: {
    // Required fields are marked for assistive technology; an asterisk next to every label is only noise.
    InputWrapper: { defaultProps: { withAsterisk: false } },
    // The close button of notifications and dialogs is an icon, so it needs a name.
    CloseButton: { defaultProps: { 'aria-label': texts.close } },
    // The placeholder is focusable but no menu item, which screen readers don't expect in a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    // A header outside a section is the page's banner for assistive technology; that of a dialog isn't.
    ModalHeader: { defaultProps: { role: 'presentation' } },
    // Options scroll in their own list, which is the popup of the field: a region around them would need a tab stop.
    Autocomplete: { defaultProps: { withScrollArea: false } },
    Select: { defaultProps: { withScrollArea: false } },
    TagsInput: { defaultProps: { withScrollArea: false } },
    Table: { defaultProps: { verticalSpacing: 'xs' } },
    Tooltip: { defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } } },
  },
})
