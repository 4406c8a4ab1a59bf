"use strict";
// Draws the graph; the list beside it has the same nodes, for keys and screen readers.

const KINDS = {
  semantic: ["--accent", "ellipse"],
  procedural: ["--good", "diamond"],
  episodic: ["--warn", "triangle"],
  entity: ["--bad", "pentagon"],
  topic: ["--soft", "round-rectangle"],
  about: ["--text", "hexagon"],
};

const PIXELS_OF_A_NAME = 11000; // of the graph's area, so that few names lie on each other

const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function style() {
  return [
    { selector: "node", style: {
      label: "data(label)", "font-size": 11, "min-zoomed-font-size": 10.5, color: colour("--text"),
      "text-wrap": "ellipsis", "text-max-width": 130, "text-valign": "bottom", "text-margin-y": 3,
      "text-background-color": colour("--ground"), "text-background-opacity": 0.8,
    } },
    ...Object.entries(KINDS).map(([kind, [name, shape]]) => (
      { selector: `node[kind = "${kind}"]`, style: { "background-color": colour(name), shape } }
    )),
    { selector: "node[?start]", style: { "border-width": 4, "border-color": colour("--mark") } },
    { selector: "node.far", style: { label: "" } },
    { selector: "node:selected", style: { label: "data(label)", "border-width": 4, "border-color": colour("--accent"), "min-zoomed-font-size": 0, "z-index": 9 } },
    { selector: "edge", style: {
      width: 1.2, "line-color": colour("--line-strong"), opacity: 0.8, "curve-style": "straight",
      "target-arrow-shape": "triangle", "target-arrow-color": colour("--line-strong"), "arrow-scale": 0.7,
    } },
    { selector: 'edge[kind = "in"], edge[kind = "about"]', style: { "target-arrow-shape": "none", "line-style": "dashed", opacity: 0.5 } },
    { selector: 'edge[kind = "contradicts"]', style: { "line-color": colour("--bad"), "target-arrow-color": colour("--bad"), opacity: 1 } },
    { selector: ".near", style: {
      label: "data(kind)", "font-size": 9, color: colour("--soft"), opacity: 1,
      "text-background-color": colour("--ground"), "text-background-opacity": 0.9,
    } },
  ];
}

function draw(place, data) {
  const degrees = new Map();
  for (const { source, target } of data.edges) {
    for (const end of [source, target]) degrees.set(end, (degrees.get(end) || 0) + 1);
  }
  const graph = cytoscape({
    container: place,
    elements: [
      ...data.nodes.map((node) => ({ data: { ...node, degree: Math.min(20, degrees.get(node.id) || 0) } })),
      ...data.edges.map((edge) => ({ data: edge })),
    ],
    style: style(),
    layout: {
      name: "cose", animate: false, randomize: true, padding: 24, componentSpacing: 60,
      nodeRepulsion: 60000, idealEdgeLength: 70, numIter: data.nodes.length > 200 ? 300 : 800,
    },
    minZoom: 0.05, maxZoom: 4,
  });
  // Nodes and edges stay visible where the whole graph is drawn small.
  const scale = 1 / Math.min(1, graph.zoom());
  const grown = Math.max(1, scale / 2);
  graph.nodes().forEach((node) => {
    const size = Math.max(14 + 1.3 * node.data("degree"), node.data("start") ? 34 : 0) * grown;
    node.style({ width: size, height: size });
  });
  graph.edges().style({ width: 1.2 * grown });
  // Topics and entities are the landmarks: the names of the largest can be read before zooming in.
  const landmarks = graph.nodes('[kind = "topic"], [kind = "about"]').sort((a, b) => b.data("degree") - a.data("degree"));
  landmarks.style({ "font-size": 11 * scale, "text-max-width": 130 * scale, "min-zoomed-font-size": 0, "z-index": 5 });
  const readable = Math.round((place.clientWidth * place.clientHeight) / PIXELS_OF_A_NAME);
  const minor = landmarks.slice(readable);
  // Other names are hidden until they can be read.
  const memories = graph.nodes('[kind != "topic"][kind != "about"]');
  const fitted = graph.zoom();
  const hide = () => {
    memories.toggleClass("far", memories.length > 30 && graph.zoom() < 0.9);
    minor.toggleClass("far", graph.zoom() < 1.5 * fitted);
  };
  hide();
  graph.on("zoom", hide);
  graph.on("select", "node", (event) => {
    const node = event.target;
    graph.edges().removeClass("near");
    node.connectedEdges().addClass("near");
    const link = document.createElement("a");
    link.href = node.data("path");
    link.textContent = node.data("label");
    document.getElementById("graph-node").replaceChildren(link);
  });
  document.addEventListener("focusin", (event) => {
    const id = event.target.dataset && event.target.dataset.node;
    if (!id) return;
    graph.nodes().unselect();
    const node = graph.getElementById(id);
    node.select();
    graph.center(node);
  });
  document.addEventListener("click", (event) => {
    const zoom = event.target.dataset && event.target.dataset.zoom;
    if (zoom === "fit") graph.fit(undefined, 24);
    else if (zoom) graph.zoom({ level: graph.zoom() * Number(zoom), renderedPosition: { x: place.clientWidth / 2, y: place.clientHeight / 2 } });
  });
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => graph.style(style()));
}

const place = document.getElementById("graph");
if (place) {
  fetch(place.dataset.source)
    .then((answer) => { if (!answer.ok) throw new Error(String(answer.status)); return answer.json(); })
    .then((data) => draw(place, data))
    .catch(() => { document.getElementById("graph-node").textContent = "The graph could not be drawn; the list has its nodes."; });
}
