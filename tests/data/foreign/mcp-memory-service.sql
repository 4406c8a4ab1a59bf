-- The tables of mcp-memory-service 12 (schema 19) as far as they are read, with a few made rows.
CREATE TABLE memories (id INTEGER PRIMARY KEY, content_hash TEXT UNIQUE, content TEXT, tags TEXT, memory_type TEXT, metadata TEXT, created_at REAL, updated_at REAL, created_at_iso TEXT, updated_at_iso TEXT, deleted_at REAL, store TEXT DEFAULT 'default', parent_id TEXT, version INTEGER DEFAULT 1, confidence REAL, last_accessed REAL, superseded_by TEXT, embedding_pending INTEGER DEFAULT 0);
CREATE TABLE memory_graph (source_hash TEXT, target_hash TEXT, similarity REAL, connection_types TEXT, metadata TEXT, created_at REAL, relationship_type TEXT DEFAULT 'related');
INSERT INTO memories (content_hash, content, tags, memory_type, metadata, created_at, deleted_at, parent_id, version, confidence, superseded_by) VALUES
 ('h1','The staging server runs in Frankfurt.','proj:shop,infra','observation','{"superseded_by": "h2", "origin": "chat"}',1772445600.5,NULL,NULL,1,0.8,'h2'),
 ('h2','The staging server runs in Dublin.','proj:shop,infra','observation','{}',1772545600.5,NULL,'h1',2,0.9,NULL),
 ('h3','Deploy with make ship after the freeze.','untagged','pattern','{}',1772445700.0,NULL,NULL,1,NULL,NULL),
 ('h4','Deleted by its owner.','secret','note','{}',1772445800.0,1772445900.0,NULL,1,NULL,NULL);
INSERT INTO memory_graph VALUES ('h3','h2',0.8,'[]',NULL,1772445900.0,'supports'), ('h3','h9',0.5,'[]',NULL,1772445900.0,'related');
