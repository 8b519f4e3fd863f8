import type { ReactNode } from 'react'

/** Line drawings on a grid of 24, in the colour of the text beside them. Decorative: there is always text next to them. */
export const drawing = (content: ReactNode) =>
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
export const ReferralsIcon = drawing(<path d="M6 3v6a4 4 0 0 0 4 4h8m0 0-4-4m4 4-4 4M6 21v-6" />)
export const CommissionsIcon = drawing(
  <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm3-12.5c-.6-1-1.7-1.5-3-1.5-1.7 0-3 .9-3 2.4 0 3.4 6 1.8 6 5.2 0 1.5-1.3 2.4-3 2.4-1.3 0-2.4-.5-3-1.5M12 5v2m0 10v2" />,
)
export const PayoutsIcon = drawing(<path d="M2 7h20v12H2V7Zm0 4h20M6 15h4M5 7l11-4 1 4" />)
export const SettingsIcon = drawing(<path d="M4 6h10m4 0h2M4 12h2m4 0h10M4 18h8m4 0h4M16 4v4M8 10v4m6 2v4" />)
export const CopyIcon = drawing(<path d="M9 9h11v12H9V9Zm-4 6H4V3h11v2" />)
export const CheckIcon = drawing(<path d="m4 12 6 6L20 6" />)
export const DownloadIcon = drawing(<path d="M12 3v12m0 0-5-5m5 5 5-5M4 21h16" />)
