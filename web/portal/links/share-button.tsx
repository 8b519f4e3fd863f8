import { Anchor, Button, Group } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { useState } from 'react'
import { ShareIcon } from '../shared/icons.tsx'
import { look } from '../shared/look.ts'
import { shareTargets } from './share-targets.ts'

const texts = pages.links

/** Opens the system's share sheet. Whether it did: a desktop browser may have none, and a frame may not be allowed to open it. */
async function openSheet(data: ShareData): Promise<boolean> {
  if (!navigator.share) return false
  try {
    await navigator.share(data)
    return true
  } catch (error) {
    // Closed by the reader, so there is nothing else to offer.
    return error instanceof DOMException && error.name === 'AbortError'
  }
}

/** Shares a link with the system's sheet, or else with links to where people share. */
export function ShareButton({ url, label }: { url: string; label: string }) {
  const [isOpen, setIsOpen] = useState(false)
  const text = texts.shareText(look.name)
  const share = async () => {
    if (isOpen) return setIsOpen(false)
    if (!(await openSheet({ title: look.name, text, url }))) setIsOpen(true)
  }
  return (
    <>
      <Button
        size="md"
        px="sm"
        variant="light"
        style={{ flexGrow: 1 }}
        leftSection={<ShareIcon />}
        aria-label={label}
        aria-expanded={isOpen}
        onClick={() => void share()}
      >
        {texts.share}
      </Button>
      {isOpen && (
        <Group gap="md" w="100%">
          {shareTargets(url, text).map(target => (
            <Anchor key={target.label} href={target.href} target="_blank" rel="noopener noreferrer" size="sm">
              {target.label}
            </Anchor>
          ))}
        </Group>
      )}
    </>
  )
}
