import { createTheme, type MantineColorsTuple } from '@mantine/core'

const river: MantineColorsTuple = [
  '#e8f7f3',
  '#d3ebe4',
  '#a7d7c9',
  '#77c2ac',
  '#51b094',
  '#39a585',
  '#2a9a7a',
  '#1c8368',
  '#12755c',
  '#00654e',
]

export const theme = createTheme({
  primaryColor: 'river',
  primaryShade: { light: 8, dark: 7 },
  colors: { river },
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  defaultRadius: 'md',
  headings: { fontWeight: '650' },
  components: {
    // What must be filled in says so to programs; a star beside every label says nothing to people.
    InputWrapper: { defaultProps: { withAsterisk: false } },
    // Notifications and dialogs close by a cross, which has to be called something.
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    Table: { defaultProps: { verticalSpacing: 'xs' } },
    Tooltip: { defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } } },
  },
})
