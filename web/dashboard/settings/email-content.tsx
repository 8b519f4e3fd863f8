import { SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { optionsOf } from '../shared/options.ts'
import { SourceText } from '../shared/source-text.tsx'
import { texts } from './en.ts'

const { email: labels } = texts

/** An email as it looks, or as plain text. */
export function EmailContent({ subject, html, text }: { subject: string; html: string; text: string }) {
  const [format, setFormat] = useState('html')
  return (
    <>
      <SegmentedControl
        value={format}
        onChange={setFormat}
        data={optionsOf(labels.formats)}
        aria-label={labels.format}
      />
      {format === 'html' ? (
        // Sandboxed: no scripts, no forms, no navigation out of the frame.
        <iframe
          title={labels.frame(subject)}
          srcDoc={html}
          sandbox=""
          style={{ width: '100%', height: 420, border: 0, borderRadius: 8, background: '#fff' }}
        />
      ) : (
        <SourceText text={text} label={labels.textName} />
      )}
    </>
  )
}
