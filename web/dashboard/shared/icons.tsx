import { drawing } from '../../ui/icons.tsx'

export const AffiliatesIcon = drawing(
  <path d="M9 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8ZM2 21v-1a6 6 0 0 1 6-6h2a6 6 0 0 1 6 6v1M17 4a4 4 0 0 1 0 7M19 14a5 5 0 0 1 3 5v2" />,
)
export const CampaignsIcon = drawing(
  <path d="M4 10v4l12 5V5L4 10Zm0 0H2v4h2m4 2v4h3v-3M20 9a4 4 0 0 1 0 6" />,
)
export const CreativesIcon = drawing(<path d="M3 5h18v14H3V5Zm0 11 5-5 4 4 3-3 6 5M15 9h.01" />)
export const ExploreIcon = drawing(<path d="M3 4v16h18M7 15l4-5 4 3 6-8" />)
export const SignalsIcon = drawing(<path d="M12 3l8 3v6c0 5-3.5 8-8 9-4.5-1-8-4-8-9V6l8-3Zm0 5v5m0 3h.01" />)
export const BillingIcon = drawing(<path d="M3 6h18v12H3V6Zm0 4h18M7 15h4" />)
export const WebhooksIcon = drawing(
  <path d="M4 12h6m4 0h6M10 8v8m4-8v8M7 8h3v8H7a4 4 0 0 1 0-8Zm10 0h-3v8h3a4 4 0 0 0 0-8Z" />,
)
export const AuditIcon = drawing(<path d="M6 3h9l4 4v14H6V3Zm3 8h7m-7 4h7m-7-8h3" />)
export const SearchIcon = drawing(<path d="M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14Zm5-2 5 5" />)
export const MoreIcon = drawing(<path d="M5 12h.01M12 12h.01M19 12h.01" strokeWidth={3} />)
export const PlusIcon = drawing(<path d="M12 4v16M4 12h16" />)
export const SunIcon = drawing(
  <path d="M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8Zm0-14v2m0 16v2M2 12h2m16 0h2M5 5l1.4 1.4m11.2 11.2L19 19M5 19l1.4-1.4M17.6 6.4 19 5" />,
)
export const SortIcon = drawing(<path d="M8 4v16m0 0-4-4m4 4 4-4M16 20V4m0 0-4 4m4-4 4 4" />)
export const InboxIcon = drawing(<path d="M3 13 6 4h12l3 9v7H3v-7Zm0 0h5l1 3h6l1-3h5" />)
export const HelpIcon = drawing(
  <path d="M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18Zm-2.5-11a2.5 2.5 0 1 1 3.6 2.3c-.7.3-1.1.9-1.1 1.7m0 3h.01" />,
)
export const BookIcon = drawing(<path d="M5 4h6v16H5V4Zm8 0h6v16h-6V4Zm-5 4h.01M16 8h.01" />)
export const CodeIcon = drawing(<path d="m8 7-5 5 5 5m8-10 5 5-5 5M14 5l-4 14" />)
