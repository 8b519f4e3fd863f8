import { createTheme, type MantineColorsTuple } from '@mantine/core'
import { texts } from './en.ts'

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
    // Required fields are marked for assistive technology; an asterisk next to every label is only noise.
    InputWrapper: { defaultProps: { withAsterisk: false } },
    // The close button of notifications and dialogs is an icon, so it needs a name.
    CloseButton: { defaultProps: { 'aria-label': texts.close } },
    Table: { defaultProps: { verticalSpacing: 'xs' } },
    Tooltip: { defaultProps: { withArrow: true, events: { hover: true, focus: true, touch: true } } },
  },
})
