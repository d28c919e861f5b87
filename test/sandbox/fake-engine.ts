import type { DockerEngine, ImageDescription, ListedContainer } from '../../src/sandbox/docker.ts';

export interface FakeEngine extends DockerEngine {
  readonly calls: string[];
}

/** An engine that holds these images and containers and writes down what is asked of it; the rest rejects. */
export function createFakeEngine(
  state: { images?: ImageDescription[]; pullable?: Record<string, ImageDescription>; containers?: ListedContainer[] },
  changes: Partial<DockerEngine> = {},
): FakeEngine {
  const images = [...(state.images ?? [])];
  let containers = [...(state.containers ?? [])];
  const calls: string[] = [];
  const note = (call: string): void => void calls.push(call);
  const refuse = async (): Promise<never> => {
    throw new Error('not part of this test');
  };
  return {
    calls,
    address: { kind: 'unix', socketPath: '/fake.sock', text: 'unix:///fake.sock' },
    fetchInfo: refuse,
    fetchImage: async id => images.find(image => image.id === id),
    listImageIds: async () => images.map(image => image.id),
    pullImage: async reference => {
      note(`pull ${reference}`);
      const image = state.pullable?.[reference];
      if (image === undefined) throw new Error('no such image');
      images.push(image);
    },
    saveImage: refuse,
    loadImage: refuse,
    listContainers: async label => containers.filter(container => label in container.labels),
    createContainer: refuse,
    inspectContainer: refuse,
    attach: refuse,
    startContainer: refuse,
    waitForExit: refuse,
    killContainer: async id => note(`kill ${id}`),
    removeContainer: async id => {
      note(`remove ${id}`);
      containers = containers.filter(container => container.id !== id);
    },
    ...changes,
  };
}
