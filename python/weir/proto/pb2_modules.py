"""The messages and enums of each TensorFlow message module, by the module's full name.

Names are relative to the package tensorflow. Enum values are part of the module, too, but not listed.
"""

PB2_MODULES = {
    "tensorflow.contrib.tensorboard.plugins.projector.projector_config_pb2": [
        "SpriteMetadata", "EmbeddingInfo", "ProjectorConfig",
    ],
    "tensorflow.core.example.example_pb2": ["Example", "SequenceExample"],
    "tensorflow.core.example.feature_pb2": [
        "BytesList", "FloatList", "Int64List", "Feature", "Features", "FeatureList", "FeatureLists",
    ],
    "tensorflow.core.framework.allocation_description_pb2": ["AllocationDescription"],
    "tensorflow.core.framework.attr_value_pb2": ["AttrValue", "NameAttrList"],
    "tensorflow.core.framework.cost_graph_pb2": ["CostGraphDef"],
    "tensorflow.core.framework.device_attributes_pb2": [
        "InterconnectLink", "LocalLinks", "DeviceLocality", "DeviceAttributes",
    ],
    "tensorflow.core.framework.full_type_pb2": ["FullTypeDef", "FullTypeId"],
    "tensorflow.core.framework.function_pb2": [
        "FunctionDefLibrary", "FunctionDef", "GradientDef", "RegisteredGradient",
    ],
    "tensorflow.core.framework.graph_debug_info_pb2": ["GraphDebugInfo"],
    "tensorflow.core.framework.graph_pb2": ["GraphDef"],
    "tensorflow.core.framework.kernel_def_pb2": ["KernelDef", "KernelList"],
    "tensorflow.core.framework.node_def_pb2": ["NodeDef"],
    "tensorflow.core.framework.op_def_pb2": ["OpDef", "OpDeprecation", "OpList"],
    "tensorflow.core.framework.reader_base_pb2": ["ReaderBaseState"],
    "tensorflow.core.framework.resource_handle_pb2": ["ResourceHandleProto"],
    "tensorflow.core.framework.step_stats_pb2": [
        "AllocationRecord", "AllocatorMemoryUsed", "NodeOutput", "MemoryStats", "NodeExecStats",
        "DeviceStepStats", "StepStats",
    ],
    "tensorflow.core.framework.summary_pb2": [
        "SummaryDescription", "SummaryMetadata", "Summary", "DataClass", "HistogramProto",
    ],
    "tensorflow.core.framework.tensor_description_pb2": ["TensorDescription"],
    "tensorflow.core.framework.tensor_pb2": ["TensorProto", "VariantTensorDataProto"],
    "tensorflow.core.framework.tensor_shape_pb2": ["TensorShapeProto"],
    "tensorflow.core.framework.tensor_slice_pb2": ["TensorSliceProto"],
    "tensorflow.core.framework.types_pb2": ["SerializedDType", "DataType"],
    "tensorflow.core.framework.variable_pb2": [
        "VariableDef", "SaveSliceInfoDef", "VariableSynchronization", "VariableAggregation",
    ],
    "tensorflow.core.framework.versions_pb2": ["VersionDef"],
    "tensorflow.core.lib.core.error_codes_pb2": ["error.Code"],
    "tensorflow.core.protobuf.cluster_pb2": ["JobDef", "ClusterDef"],
    "tensorflow.core.protobuf.config_pb2": [
        "GPUOptions", "OptimizerOptions", "GraphOptions", "ThreadPoolOptionProto", "SessionMetadata",
        "ConfigProto", "RunOptions", "RunMetadata", "TensorConnection", "CallableOptions", "BatchingOptions",
        "RPCOptions",
    ],
    "tensorflow.core.protobuf.control_flow_pb2": [
        "ValuesDef", "ControlFlowContextDef", "CondContextDef", "WhileContextDef",
    ],
    "tensorflow.core.protobuf.debug_pb2": [
        "DebugTensorWatch", "DebugOptions", "DebuggedSourceFile", "DebuggedSourceFiles",
    ],
    "tensorflow.core.protobuf.device_filters_pb2": ["TaskDeviceFilters", "JobDeviceFilters", "ClusterDeviceFilters"],
    "tensorflow.core.protobuf.error_codes_pb2": ["error.Code"],
    "tensorflow.core.protobuf.graph_debug_info_pb2": ["GraphDebugInfo"],
    "tensorflow.core.protobuf.master_pb2": [
        "CreateSessionRequest", "CreateSessionResponse", "ExtendSessionRequest", "ExtendSessionResponse",
        "RunStepRequest", "RunStepResponse", "PartialRunSetupRequest", "PartialRunSetupResponse",
        "CloseSessionRequest", "CloseSessionResponse", "ResetRequest", "ResetResponse", "ListDevicesRequest",
        "ListDevicesResponse", "MakeCallableRequest", "MakeCallableResponse", "RunCallableRequest",
        "RunCallableResponse", "ReleaseCallableRequest", "ReleaseCallableResponse",
    ],
    "tensorflow.core.protobuf.meta_graph_pb2": [
        "MetaGraphDef", "CollectionDef", "TensorInfo", "SignatureDef", "AssetFileDef",
    ],
    "tensorflow.core.protobuf.named_tensor_pb2": ["NamedTensorProto"],
    "tensorflow.core.protobuf.queue_runner_pb2": ["QueueRunnerDef"],
    "tensorflow.core.protobuf.rewriter_config_pb2": ["AutoParallelOptions", "ScopedAllocatorOptions", "RewriterConfig"],
    "tensorflow.core.protobuf.rpc_options_pb2": ["RPCOptions"],
    "tensorflow.core.protobuf.saved_model_pb2": ["SavedModel"],
    "tensorflow.core.protobuf.saver_pb2": ["SaverDef"],
    "tensorflow.core.protobuf.trackable_object_graph_pb2": ["TrackableObjectGraph"],
    "tensorflow.core.protobuf.tensor_bundle_pb2": ["BundleHeaderProto", "BundleEntryProto"],
    "tensorflow.core.protobuf.tensorflow_server_pb2": ["ServerDef"],
    "tensorflow.core.protobuf.transport_options_pb2": ["RecvBufRespExtra"],
    "tensorflow.core.protobuf.verifier_config_pb2": ["VerifierConfig"],
    "tensorflow.core.protobuf.worker_pb2": [
        "GetStatusRequest", "GetStatusResponse", "CreateWorkerSessionRequest", "CreateWorkerSessionResponse",
        "DeleteWorkerSessionRequest", "DeleteWorkerSessionResponse", "RegisterGraphRequest",
        "RegisterGraphResponse", "DeregisterGraphRequest", "DeregisterGraphResponse", "CleanupAllRequest",
        "CleanupAllResponse", "ExecutorOpts", "RunGraphRequest", "RunGraphResponse", "CleanupGraphRequest",
        "CleanupGraphResponse", "RecvTensorRequest", "RecvTensorResponse", "MarkRecvFinishedRequest",
        "MarkRecvFinishedResponse", "LoggingRequest", "LoggingResponse", "LabeledStepStats", "TraceOpts",
        "TracingRequest", "TracingResponse", "RecvBufRequest", "RecvBufResponse", "CompleteGroupRequest",
        "CompleteGroupResponse", "CompleteInstanceRequest", "CompleteInstanceResponse",
        "GetStepSequenceRequest", "GetStepSequenceResponse", "StepSequence",
    ],
    "tensorflow.core.util.event_pb2": [
        "Event", "SourceMetadata", "LogMessage", "SessionLog", "TaggedRunMetadata", "WatchdogConfig",
        "RequestedExitCode", "WorkerHeartbeatRequest", "WorkerHeartbeatResponse", "WorkerHealth",
        "WorkerShutdownMode",
    ],
    "tensorflow.core.util.saved_tensor_slice_pb2": [
        "SavedSliceMeta", "SavedTensorSliceMeta", "SavedSlice", "SavedTensorSlices",
    ],
    "tensorflow.python.training.checkpoint_state_pb2": ["CheckpointState"],
}
