import type { ReactNode } from 'react'

/** Line drawings on a grid of 24, in the colour of the text beside them. They decorate: words always stand beside them. */
const drawing = (content: ReactNode) =>
  function Icon({ size = 18 }: { size?: number }) {
    return (
      <svg
        width={size}
        height={size}
        viewBox="0 0 24 24"
        fill="none"
        stroke="currentColor"
        strokeWidth={1.8}
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        focusable="false"
      >
        {content}
      </svg>
    )
  }

export const OverviewIcon = drawing(<path d="M4 20V10M10 20V4M16 20v-7M22 20H2" />)
export const AffiliatesIcon = drawing(
  <path d="M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM2 21v-1a6 6 0 0 1 6-6h2a6 6 0 0 1 6 6v1M17 4a4 4 0 0 1 0 7M19 14a5 5 0 0 1 3 5v2" />,
)
export const CampaignsIcon = drawing(
  <path d="M4 10v4l12 5V5L4 10Zm0 0H2v4h2m4 2v4h3v-3M20 9a4 4 0 0 1 0 6" />,
)
export const ReferralsIcon = drawing(<path d="M6 3v6a4 4 0 0 0 4 4h8m0 0-4-4m4 4-4 4M6 21v-6" />)
export const CommissionsIcon = drawing(
  <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm3-12.5c-.6-1-1.7-1.5-3-1.5-1.7 0-3 .9-3 2.4 0 3.4 6 1.8 6 5.2 0 1.5-1.3 2.4-3 2.4-1.3 0-2.4-.5-3-1.5M12 5v2m0 10v2" />,
)
export const PayoutsIcon = drawing(<path d="M2 7h20v12H2V7Zm0 4h20M6 15h4M5 7l11-4 1 4" />)
export const WebhooksIcon = drawing(
  <path d="M4 12h6m4 0h6M10 8v8m4-8v8M7 8h3v8H7a4 4 0 0 1 0-8Zm10 0h-3v8h3a4 4 0 0 0 0-8Z" />,
)
export const SettingsIcon = drawing(<path d="M4 6h10m4 0h2M4 12h2m4 0h10M4 18h8m4 0h4M16 4v4M8 10v4m6 2v4" />)
export const AuditIcon = drawing(<path d="M6 3h9l4 4v14H6V3Zm3 8h7m-7 4h7m-7-8h3" />)
export const SearchIcon = drawing(<path d="M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 5 5" />)
export const CopyIcon = drawing(<path d="M9 9h11v12H9V9Zm-4 6H4V3h11v2" />)
export const CheckIcon = drawing(<path d="m4 12 6 6L20 6" />)
export const DownloadIcon = drawing(<path d="M12 3v12m0 0-5-5m5 5 5-5M4 21h16" />)
export const PlusIcon = drawing(<path d="M12 4v16M4 12h16" />)
export const SunIcon = drawing(
  <path d="M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm0-14v2m0 16v2M2 12h2m16 0h2M5 5l1.4 1.4m11.2 11.2L19 19M5 19l1.4-1.4M17.6 6.4 19 5" />,
)
export const SortIcon = drawing(<path d="M8 4v16m0 0-4-4m4 4 4-4M16 20V4m0 0-4 4m4-4 4 4" />)
export const InboxIcon = drawing(<path d="M3 13 6 4h12l3 9v7H3v-7Zm0 0h5l1 3h6l1-3h5" />)
export const LinkIcon = drawing(
  <path d="M10 14a4 4 0 0 0 6 0l4-4a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-4 4a4 4 0 0 0 6 6l1-1" />,
)
export const QrIcon = drawing(
  <path d="M4 4h6v6H4V4Zm10 0h6v6h-6V4ZM4 14h6v6H4v-6Zm10 0h2v2h-2v-2Zm4 4h2v2h-2v-2Zm0-4h2m-6 6h2" />,
)
