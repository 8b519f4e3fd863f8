import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink, type LinkComponent } from '@tanstack/react-router'
import type { ReactNode, Ref } from 'react'

interface OfAnchors {
  href?: string
  title?: string
  ref?: Ref<HTMLAnchorElement>
  children?: ReactNode
}

const AnchorButton = (props: ButtonProps & OfAnchors) => <Button component="a" {...props} />
const PlainAnchor = (props: AnchorProps & OfAnchors) => <Anchor {...props} />
const RoutedButton = createLink(AnchorButton)
const RoutedAnchor = createLink(PlainAnchor)

/** Links to a page of the open account. The compiler checks the page, its parameters and its search. */
export const ButtonLink: LinkComponent<typeof AnchorButton, '/$account'> = props => (
  <RoutedButton from="/$account" {...props} />
)
export const TextLink: LinkComponent<typeof PlainAnchor, '/$account'> = props => (
  <RoutedAnchor from="/$account" {...props} />
)
