// Declares the names of this framework that ATen/mps/MPSStream.h uses. Never linked or shipped.
#pragma once
#import <MetalPerformanceShaders/MetalPerformanceShaders.h>

@class MPSGraph, MPSGraphCompilationDescriptor, MPSGraphExecutionDescriptor;
