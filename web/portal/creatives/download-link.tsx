import { Button } from '@mantine/core'
import { pages } from '@tributary/contract/portal/texts'
import { DownloadIcon } from '../../ui/icons.tsx'
import { addressOf } from '../shared/api.ts'

const texts = pages.creatives

export const DownloadLink = ({ id, name }: { id: number; name: string }) => (
  <Button
    component="a"
    href={addressOf('downloadCreative', { id })}
    download
    variant="light"
    leftSection={<DownloadIcon />}
    aria-label={texts.downloadOf(name)}
  >
    {texts.download}
  </Button>
)
