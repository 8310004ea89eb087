/** The packet of one entity, in a drawer over the board of blocks. */
import { useNavigate, useParams } from 'react-router';
import { eq } from '@cloudfit/contract/query/build.ts';
import { blocks } from '@cloudfit/contract/resources/blocks.ts';
import { blockTexts } from '@cloudfit/contract/messages/blocks.en.ts';
import { en } from '@cloudfit/contract/messages/en.ts';
import { packetTexts as t } from '@cloudfit/contract/messages/packets.en.ts';
import { useMay } from '../../api/lookups.ts';
import { Loaded } from '../../calls/loaded.tsx';
import { Button } from '../../components/button.tsx';
import { CopyId } from '../../components/chips.tsx';
import { usePageTitle } from '../../components/page-title.ts';
import { SidePanel } from '../../components/side-panel.tsx';
import { ErrorState } from '../../components/states.tsx';
import { PacketDetails } from '../../entities/packets/packet-details.tsx';
import { PanelTabs, tabPanelProps, usePanelTab } from '../../resource/panel-tabs.tsx';
import { BlocksPage } from './blocks-page.tsx';
import { entityTabs } from './entity-tabs.tsx';
import { useBlocks, usePackets } from './use-blocks.ts';
import './blocks.css';

function Details({ id }: { id: string }) {
  const mayView = useMay()('Packets', 'view');
  const packets = usePackets([id]);
  if (!mayView) return <ErrorState title={en.auth.deniedTitle} text={t.forbidden} />;
  return (
    <Loaded query={packets} failed={t.failed} small={false}>
      {({ rows }) => <PacketDetails packet={rows.find((packet) => packet.entityId === id)} />}
    </Loaded>
  );
}

export function PacketPage() {
  const { tenantId = '', id: idOfAddress = '' } = useParams();
  const id = idOfAddress.toLowerCase();
  const seesBlocks = useMay()('Blocks', 'view');
  const navigate = useNavigate();
  const [tab, choose] = usePanelTab(entityTabs.others);
  const blocksOfEntity = useBlocks({ filter: eq(blocks, 'entityId', id), top: 1 }, seesBlocks);
  const block = blocksOfEntity.data?.rows[0];
  const close = () => void navigate(seesBlocks ? `/${tenantId}/blocks` : `/${tenantId}`);
  usePageTitle(t.title);
  return (
    <>
      {seesBlocks ? <BlocksPage header={t.title} /> : <div className="page" />}
      <SidePanel
        title={block?.name ?? t.title}
        onClose={close}
        meta={
          <>
            <span>{t.title}</span>
            <CopyId id={id} label={t.entity} />
          </>
        }
        tabs={<PanelTabs tabs={entityTabs} label={blockTexts.tabs.details} value={tab?.id} onChange={choose} />}
        footer={<Button onClick={close}>{en.common.close}</Button>}
      >
        <div className="body" key={tab?.id ?? ''} {...tabPanelProps(tab)}>
          {tab ? <tab.Body row={{ entityId: id, ...(block ? { blockId: block.blockId } : {}) }} /> : <Details id={id} />}
        </div>
      </SidePanel>
    </>
  );
}
