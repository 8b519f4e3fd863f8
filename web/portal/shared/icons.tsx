import { drawing } from '../../ui/icons.tsx'

export const LinkIcon = drawing(
  <path d="M10 14a4 4 0 0 0 6 0l4-4a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-4 4a4 4 0 0 0 6 6l1-1" />,
)
export const QrIcon = drawing(
  <path d="M4 4h6v6H4V4Zm10 0h6v6h-6V4ZM4 14h6v6H4v-6Zm10 0h2v2h-2v-2Zm4 4h2v2h-2v-2Zm0-4h2m-6 6h2" />,
)
export const ShareIcon = drawing(<path d="M12 15V3m0 0L7 8m5-5 5 5M5 12v8h14v-8" />)
